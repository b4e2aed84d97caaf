// A WebSocket echo over libwebsockets, for `make bench`: what our codec is compared with. Listens on 127.0.0.1 at the
// port of its argument, prints "ready", and runs until a signal ends it.
//
// It does what the library's documentation recommends for speed: large receive buffers, every piece goes out as it came
// (so a large message is never collected), no allocation per message, back-pressure by rx flow control.
#include <libwebsockets.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_SIZE = 65536, PAUSE_ABOVE = 32, RESUME_BELOW = 8 };

/// Received bytes with the room in front of them that lws_write wants for its header.
struct piece {
    struct piece *next;
    size_t count;
    enum lws_write_protocol flags;
    unsigned char bytes[LWS_PRE + PIECE_SIZE];
};

struct session {
    struct piece *first, *last;
    int waiting;
    int is_paused;
};

static struct piece *unused;
static volatile sig_atomic_t is_over;

static void end(int number) {
    (void)number;
    is_over = 1;
}

static void drop_first(struct session *session) {
    struct piece *piece = session->first;
    session->first = piece->next;
    session->waiting--;
    piece->next = unused;
    unused = piece;
}

static int receive(struct lws *wsi, struct session *session, const void *bytes, size_t count) {
    if (count > PIECE_SIZE) return -1;
    struct piece *piece = unused;
    if (piece) unused = piece->next;
    else piece = malloc(sizeof *piece);
    if (!piece) return -1;
    int kind = lws_frame_is_binary(wsi) ? LWS_WRITE_BINARY : LWS_WRITE_TEXT;
    piece->flags = (enum lws_write_protocol)lws_write_ws_flags(
        kind, lws_is_first_fragment(wsi), lws_is_final_fragment(wsi));
    piece->next = NULL;
    piece->count = count;
    memcpy(piece->bytes + LWS_PRE, bytes, count);
    if (session->first) session->last->next = piece;
    else session->first = piece;
    session->last = piece;
    session->waiting++;
    if (session->waiting > PAUSE_ABOVE && !session->is_paused) {
        session->is_paused = 1;
        lws_rx_flow_control(wsi, 0);
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_waiting(struct lws *wsi, struct session *session) {
    while (session->first) {
        struct piece *piece = session->first;
        if (lws_write(wsi, piece->bytes + LWS_PRE, piece->count, piece->flags) < (int)piece->count) return -1;
        drop_first(session);
        if (lws_send_pipe_choked(wsi)) break;
    }
    if (session->is_paused && session->waiting < RESUME_BELOW) {
        session->is_paused = 0;
        lws_rx_flow_control(wsi, 1);
    }
    if (session->first) lws_callback_on_writable(wsi);
    return 0;
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *bytes, size_t count) {
    struct session *session = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED: memset(session, 0, sizeof *session); break;
    case LWS_CALLBACK_RECEIVE: return receive(wsi, session, bytes, count);
    case LWS_CALLBACK_SERVER_WRITEABLE: return send_waiting(wsi, session);
    case LWS_CALLBACK_CLOSED:
        while (session->first) drop_first(session);
        break;
    default: break;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    static const struct lws_protocols protocols[] = {
        {.name = "echo", .callback = callback, .per_session_data_size = sizeof(struct session),
         .rx_buffer_size = PIECE_SIZE, .tx_packet_size = PIECE_SIZE},
        {.name = NULL},
    };
    signal(SIGTERM, end);
    signal(SIGINT, end);
    lws_set_log_level(LLL_ERR, NULL);
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = atoi(argv[1]);
    info.iface = "127.0.0.1";
    info.protocols = protocols;
    info.pt_serv_buf_size = PIECE_SIZE;
    info.gid = -1;
    info.uid = -1;
    struct lws_context *context = lws_create_context(&info);
    if (!context) return 1;
    puts("ready");
    fflush(stdout);
    while (!is_over && lws_service(context, 0) >= 0) {}
    lws_context_destroy(context);
    return 0;
}
