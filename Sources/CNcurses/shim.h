// ncursesw from the system; functions for what curses offers as macros only.
#pragma once
#define NCURSES_WIDECHAR 1
#define _XOPEN_SOURCE_EXTENDED 1
#include <locale.h>
#include <ncurses.h>
#include <term.h>
static inline WINDOW *cncurses_stdscr(void) { return stdscr; }
static inline int cncurses_lines(void) { return LINES; }
static inline int cncurses_columns(void) { return COLS; }
static inline int cncurses_colors(void) { return COLORS; }
static inline int cncurses_color_pairs(void) { return COLOR_PAIRS; }
static inline attr_t cncurses_attr_bold(void) { return A_BOLD; }
static inline attr_t cncurses_attr_dim(void) { return A_DIM; }
static inline attr_t cncurses_attr_underline(void) { return A_UNDERLINE; }
static inline attr_t cncurses_attr_reverse(void) { return A_REVERSE; }
static inline attr_t cncurses_attr_italic(void) { return A_ITALIC; }
static inline attr_t cncurses_attr_normal(void) { return A_NORMAL; }
static inline int cncurses_key_f(int number) { return KEY_F(number); }
static inline void cncurses_getyx(WINDOW *window, int *y, int *x) { getyx(window, *y, *x); }
static inline WINDOW *cncurses_curscr(void) { return curscr; }
/// Puts one character of one column width or two, without marks, at a place.
static inline int cncurses_put(WINDOW *window, int row, int column, wchar_t character, attr_t attributes, int pair) {
    const wchar_t text[2] = {character, 0};
    cchar_t cell;
    // The number of the pair goes by pointer: it may be larger than the 16 bits of the other parameter.
    return setcchar(&cell, text, attributes, 0, &pair) == OK ? mvwadd_wch(window, row, column, &cell) : ERR;
}
/// A terminfo string with two parameters filled in; valid until the next call. NULL when `capability` is NULL.
static inline const char *cncurses_filled(const char *capability, int first, int second) {
    return capability ? tiparm(capability, first, second) : NULL;
}
/// tigetstr: NULL both for a string that the terminal does not have and for one that is no string capability.
static inline const char *cncurses_capability(const char *name) {
    const char *text = tigetstr((char *)name);
    return text == (const char *)-1 ? NULL : text;
}
/// Frees what setupterm() set up.
static inline void cncurses_forget_terminal(void) { del_curterm(cur_term); }
/// Declared by hand: the C library shows it only to programs that ask for X/Open.
extern int wcwidth(wchar_t character);
