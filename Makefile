# run      build the release and open the chat (arguments: make run ARGS="demo")
# test     build everything, run every test and the examples (as packages of their own); at the end, what was skipped and why
# quick    build and run the tests of one module (make quick M=ChatTUI; make quick M=ChatCore ONLY=LinkScenario)
# check    formatting, module arrows, links, references and English of the documents, no comparison with a sentence, the JSON
#          schemas, tests that could pass by doing nothing, the DocC catalogue, nothing that blocks where the chat would wait
#          for it, no type that is too large, the public API of BLIPNet as it is listed
# api      write the list of BLIPNet's public symbols, Docs/api/BLIPNet.txt, after a change that is meant
# files    one line for each source file: its first comment (make files ARGS=Sources/Storage: beneath one folder)
# bench    counts and ratios of the protocol layers beside bare sockets, written to Docs/benchmarks.md
#          (make bench ARGS="--only echo,body --quick": single parts; ARGS=--help lists them)
# bench-net  files and lines over emulated paths (satellite, Wi-Fi, modem, lost mappings) beside bare TCP and tar over ssh (root;
#          make bench-net ARGS="line file-far": rows whose names begin so)
# history  make a home with a million messages in FOLDER, to try things with (make history FOLDER=/tmp/large)
# tsan     every test but those of real processes and faults under the thread sanitizer
# asan     the same under the address sanitizer
# cuts     the connection is cut at every byte of a session, not only at a sample of them (about half an hour)
# kill9    kill -9 of either side at random and at every Nth call (make kill9 CYCLES=1000)
# powerloss  the power of an ext4 and of an XFS disk is cut again and again (root; make powerloss CUTS=50)
# bigfiles the long forms of the tests of files: links exchanged for 30 s while files come, a whole file of 5 GiB
# rooms    the server of a room is stopped and started 20 times during 1,000 sends (needs PyPI)
# mixed    this version and an older one chat and send each other files, in both roles (make mixed OLD=COMMIT)
# diskerrors  EIO, ENOSPC and short writes at every one of the first 200 writes, fsyncs, opens and renames
# flood    5,000 idle and 2,000 half-open connections of strangers while 16 contacts chat; prints the memory
# soak     random cuts, kills, disk errors and files between two installations (make soak MINUTES=10)
# reach    two homes behind real NAT, a relay, a router that gives ports, a machine that moves, with the release (root;
#          make reach ARGS="upnp move_caller": those scenarios of Tests/Rigs/reach.py)
# reach-tor  two chats by a whole Tor network of this machine, and nothing but Tor, with the release (needs tor; the counter
#          of packets needs root)
# mutations  breaks the source in one place after the other and demands that a test fails each time (an hour or two;
#          make mutations ARGS="file- limit-": those whose names begin so; --together 8: quicker and less strict)
# fuzz     libFuzzer on every decoder and on whole sessions (make fuzz SECONDS=60: that long for each target, side by side)
# conformance  the Autobahn WebSocket suite in both directions (needs a CPython 2.7)
# install  put programs, manual pages, completions, service, desktop entry and documents below PREFIX (default /usr/local), or
#          DESTDIR and PREFIX; uninstall takes exactly that away (Packaging/files.txt)
# deb      Debian packages of blipchat and blipwire in .build/deb, examined by lintian
# deb-test install them in clean roots of Debian 12 and 13, talk, upgrade, purge (root; make deb-test SUITES=bookworm)
# fresh    README's two commands in a clean Debian 12 root with nothing but the toolchain, make and git, as a user with sudo and as
#          root (root; make fresh WHO=user)
# guide    Docs/guide.md as a page for a browser, in .build/guide (needs pandoc)
# site     the documentation of BLIPNet (DocC) as pages that a browser opens from disk, in .build/site
# pictures screens of the real program as SVG, and a recorded session, in Docs/pictures (needs tmux)
# dist     tarballs in .build/dist: the sources of the commit, and a folder that runs where it is unpacked
# clean    remove what was built
.PHONY: run test quick check api bench bench-net history tsan asan cuts kill9 powerloss mixed diskerrors flood soak files bigfiles rooms mutations fuzz conformance install clean system test-system check-system bench-system uninstall deb deb-test dist guide site pictures package-system programs reach reach-tor fresh

SHELL := /bin/bash
SWIFT ?= swift
PREFIX ?= /usr/local
SECONDS ?= 20
CYCLES ?= 1000
CUTS ?= 50
MINUTES ?= 10
SUITES ?= bookworm trixie
ARGS ?=
STRICT = --explicit-target-dependency-import-check error
BUILD = $(SWIFT) build $(STRICT)
# Swift's library is in the program, and each function in a section of its own: the linker leaves out what nobody calls.
RELEASE = -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -Xfrontend -Xswiftc -function-sections
# Timers of real protocols run in the tests: a few at a time, so that none of them starves on two cores.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4
TEST = Scripts/run_tests.sh $(SWIFT) test --disable-xctest $(STRICT)

run: system
	$(BUILD) $(RELEASE) --product blipchat
	@exec "$$($(SWIFT) build $(RELEASE) --show-bin-path)/blipchat" $(ARGS)

test: test-system
	Scripts/check_hops.py "$(SWIFT)"
	$(BUILD) --build-tests
	Scripts/test_parts.sh $(SWIFT) test --disable-xctest $(STRICT)

quick: test-system
	BLIPCHAT_QUICK=$(M) $(TEST) --scratch-path .build/quick --filter '$(M)Tests\..*$(ONLY)'

check: check-system
	$(SWIFT) format lint --strict --recursive Sources Tools Benchmarks Tests Fuzz Examples Package.swift
	Scripts/check_documents.py
	Scripts/check_references.py
	Scripts/check_english.py
	Scripts/check_words.py
	Scripts/check_schema.py
	Scripts/list_tests.py --check
	Scripts/check_tests.py
	Scripts/mutations.py --check
	Scripts/check_blocking.py
	Scripts/check_sizes.py
	Scripts/check_hops.py "$(SWIFT)" --library
	@# Each use would wrap the function once more (Docs/decisions/0011).
	! grep -rnE 'Mutex<[^[>]*->' Sources Tools Benchmarks Tests Fuzz
	@# Benchmarks links TestSupport in a static release, which has no module Testing: that is what Tests/TestTraits is for.
	! grep -rn 'import Testing' Tests/TestSupport
	$(BUILD)
	Scripts/check_catalogue.py "$(SWIFT)" "$$($(SWIFT) build --show-bin-path)/Modules"
	Scripts/check_api.py "$(SWIFT)" "$$($(SWIFT) build --show-bin-path)/Modules"

api: check-system
	$(BUILD)
	Scripts/check_api.py "$(SWIFT)" "$$($(SWIFT) build --show-bin-path)/Modules" --write

files: check-system
	@Scripts/check_documents.py --files $(ARGS)

bench: system bench-system
	$(BUILD) $(RELEASE) --product blipchat
	$(BUILD) $(RELEASE) --product Benchmarks
	@"$$($(SWIFT) build $(RELEASE) --show-bin-path)/Benchmarks" $(or $(ARGS),--write Docs/benchmarks.md)

bench-net: system
	$(BUILD) $(RELEASE) --product blipchat
	BLIPCHAT="$$($(SWIFT) build $(RELEASE) --show-bin-path)/blipchat" \
		python3 Tests/Rigs/bench_net.py $(or $(ARGS),--write Docs/benchmarks.md)

history: system
	$(BUILD) $(RELEASE) --product Benchmarks
	@"$$($(SWIFT) build $(RELEASE) --show-bin-path)/Benchmarks" history $(ARGS) $(or $(FOLDER),history-home)

tsan: test-system
	TSAN_OPTIONS="suppressions=$(CURDIR)/Scripts/thread_sanitizer.supp" \
		$(TEST) --sanitize=thread --scratch-path .build/tsan --no-parallel --skip 'EndToEndTests|FaultTests|PictureTests'

# The child that decodes pictures gets 384 MiB, and no sanitizer can start in that. The terminal's last resort has an alternate signal
# stack of its own, which the sanitizer must not replace. It keeps variables elsewhere than on the stack, whose depth one test compares.
asan: test-system
	ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 $(TEST) --sanitize=address --scratch-path .build/asan --no-parallel \
		--skip 'EndToEndTests|FaultTests|PictureTests|CommitOrderTests/depth'

# Optimised, in a folder of its own: tens of thousands of sessions, whose processor time is what this takes.
cuts: test-system
	BLIPCHAT_QUICK=Fault BLIPCHAT_CUT_STRIDE=1 BLIPCHAT_CUT_WIDTH=8 BLIPCHAT_CORRUPTIONS=1000 $(TEST) --scratch-path .build/cuts \
		-Xswiftc -O --no-parallel --filter 'FaultTests\.(CutTests|SilenceTests)'

kill9: test-system
	BLIPCHAT_KILL_CYCLES=$(CYCLES) $(TEST) --no-parallel --filter 'FaultTests\.KillTests'

powerloss: test-system
	BLIPCHAT_POWER_CUTS=$(CUTS) $(TEST) --no-parallel --filter 'FaultTests\.PowerLossTests'

bigfiles: test-system
	$(BUILD) --build-tests
	BLIPCHAT_RACE_SECONDS=30 BLIPCHAT_HUGE_FILES=1 \
		$(TEST) --skip-build --no-parallel --filter 'SymlinkRaceTests|TransferIntegrityTests'

rooms: test-system
	BLIPCHAT_ROOM_SENDS=1000 $(TEST) --no-parallel --filter 'EndToEndTests\.EndToEnd/RoomTests/restarts'

# What 0.1.0 was before anything in the wire was added for networks, crowds and relays.
OLD ?= 652bc3cc
mixed: system
	$(BUILD) $(RELEASE) --product blipchat
	@[ -e .build/mixed/.git ] || git worktree add --detach .build/mixed $(OLD)
	@git -C .build/mixed checkout -q --detach $(OLD)
	cd .build/mixed && $(BUILD) $(RELEASE) --product blipchat
	python3 Tests/Rigs/mixed.py .build/mixed/.build/release/blipchat \
		"$$($(SWIFT) build $(RELEASE) --show-bin-path)/blipchat"

diskerrors: test-system
	BLIPCHAT_DISK_CASES=100000 $(TEST) --no-parallel --filter 'FaultTests\.DiskErrorTests'

flood: test-system
	$(BUILD) $(RELEASE) --product blipchat
	BLIPCHAT_FLOOD=1 BLIPCHAT_BINARY="$$($(SWIFT) build $(RELEASE) --show-bin-path)/blipchat" \
		$(TEST) --no-parallel --filter 'FaultTests\.FloodTests'

soak: test-system
	BLIPCHAT_SOAK_MINUTES=$(MINUTES) $(TEST) --no-parallel --filter 'FaultTests\.SoakTests'

reach: test-system
	$(BUILD) $(RELEASE) --product blipchat
	BLIPCHAT="$$($(SWIFT) build $(RELEASE) --show-bin-path)/blipchat" python3 Tests/Rigs/reach.py $(ARGS)

reach-tor: test-system
	$(BUILD) $(RELEASE) --product blipchat
	BLIPCHAT="$$($(SWIFT) build $(RELEASE) --show-bin-path)/blipchat" python3 Tests/Rigs/reach_tor.py $(ARGS)

mutations: test-system
	SWIFT="$(SWIFT)" Scripts/mutations.py $(ARGS)

fuzz: system
	Scripts/fuzz.sh $(SECONDS)

conformance: system
	$(BUILD) $(RELEASE) --product blipwire
	Scripts/conformance.sh

# What is installed, packaged and put into tarballs.
BIN = $$($(SWIFT) build $(RELEASE) --show-bin-path)
programs: system
	$(BUILD) $(RELEASE) --product blipchat
	$(BUILD) $(RELEASE) --product blipwire

install: programs
	DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" Scripts/install_files.sh install all "$(BIN)"

uninstall:
	DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" Scripts/install_files.sh uninstall all

deb: programs package-system
	rm -rf .build/deb
	Scripts/make_deb.sh "$(BIN)" .build/deb
	lintian --fail-on error,warning .build/deb/*.deb

deb-test: deb
	rm -rf .build/deb-upgrade
	REVISION=2 Scripts/make_deb.sh "$(BIN)" .build/deb-upgrade
	Scripts/test_deb.sh .build/deb .build/deb-upgrade .build/deb-test $(SUITES)

fresh: package-system
	Scripts/fresh.sh "$(SWIFT)" .build/fresh $(WHO)

guide:
	@command -v pandoc >/dev/null || { echo "blipchat: pandoc is missing (apt install pandoc)" >&2; exit 1; }
	mkdir -p .build/guide
	@# Its first heading is the title, above the contents.
	pandoc --standalone --self-contained --shift-heading-level-by=-1 --resource-path=Docs --css Packaging/guide.css --toc --toc-depth 1 \
		--metadata lang=en --metadata pagetitle="A guide to blipchat" -o .build/guide/guide.html Docs/guide.md
	@# Its links lead to the documents of this tree.
	sed -i -e 's,href="\.\./,href="../../,g' -e 's,href="\([a-z]*\.md\|pictures/\),href="../../Docs/\1,g' .build/guide/guide.html

site: check-system
	$(BUILD)
	Scripts/make_site.py "$(SWIFT)" "$$($(SWIFT) build --show-bin-path)/Modules" .build/site

pictures: system
	$(BUILD) $(RELEASE) --product blipchat
	Scripts/pictures.py "$(BIN)/blipchat" Docs/pictures

dist: programs package-system
	rm -rf .build/dist
	Scripts/make_dist.sh "$(BIN)" .build/dist

clean:
	rm -rf .build

# What the machine must have: Swift, and Debian packages that are installed when missing.
system:
	@Scripts/install_system.sh "$(SWIFT)" build

test-system:
	@Scripts/install_system.sh "$(SWIFT)" build test

check-system:
	@Scripts/install_system.sh "$(SWIFT)" build check

package-system:
	@Scripts/install_system.sh "$(SWIFT)" build package

bench-system:
	@Scripts/install_system.sh "$(SWIFT)" bench || echo "blipchat: the benchmarks skip what needs them" >&2
