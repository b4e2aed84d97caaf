// The settings of the real program: `blipchat config`, /set, /theme, SIGHUP, a notification by command.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct ConfigurationTests {
        @Test("config sets, shows, lists, takes back and checks, and keeps the comments of the file")
        func commands() async throws {
            let home = try BlipchatHome("alice")
            let file = String(try #require(try await home.run("config", "path").lines.first))
            #expect(file == home.path + "/config.toml")
            #expect(try await home.run("config", "get", "ui.theme").output == "terminal\n")
            #expect(try await home.run("config", "set", "ui.theme", "dark").status == .exited(0))
            #expect(TestFile.permissions(file) == 0o600)
            try TestFile.write("# mine\n[ui]\ntheme = \"dark\" # at night\n", to: file)
            #expect(try await home.run("config", "set", "ui.theme", "light").status == .exited(0))
            #expect(TestFile.text(file) == "# mine\n[ui]\ntheme = \"light\" # at night\n")
            #expect(try await home.run("config", "list", "--set").output == "ui.theme = \"light\"\n")
            #expect(try await home.run("config", "list").output.contains("history.keep = \"forever\"\n"))
            let record = try await home.run("config", "get", "ui.theme", "--json").output
            #expect(record == #"{"v":1,"type":"setting","key":"ui.theme","value":"light","set":true}"# + "\n")
            #expect(try await home.run("config", "unset", "ui.theme").status == .exited(0))
            #expect(try await home.run("config", "unset", "ui.theme").status == .exited(1))
            #expect(try await home.run("config", "check").status == .exited(0))

            let slip = try await home.run("config", "set", "ui.thme", "dark")
            expectOneSentence(slip, 2, "ui.thme", "did you mean ui.theme?")
            let value = try await home.run("config", "set", "ui.list", "maybe")
            expectOneSentence(value, 2, "ui.list", "\"on\" or \"off\"")
            try TestFile.write("[ui]\nlist = 3\nmosue = true\n", to: file)
            let check = try await home.run("config", "check")
            #expect(check.status == .exited(2))
            #expect(
                check.lines == [
                    "\(file):2:1: ui.list cannot be 3 (write \"auto\", \"on\" or \"off\")",
                    "\(file):3:1: unknown key ui.mosue (did you mean ui.mouse?)",
                ])
            let serve = try await home.run("serve")
            #expect(serve.status == .exited(2))
            #expect(serve.errorOutput == check.lines.map { "blipchat: \($0)\n" }.joined())
            let records = try await home.run("config", "check", "--json")
            #expect(records.status == .exited(2))
            #expect(
                records.lines == [
                    #"{"v":1,"type":"config_error","file":"\#(file)","line":2,"column":1,"#
                        + #""message":"ui.list cannot be 3","suggestion":"write \"auto\", \"on\" or \"off\""}"#,
                    #"{"v":1,"type":"config_error","file":"\#(file)","line":3,"column":1,"#
                        + #""message":"unknown key ui.mosue","suggestion":"did you mean ui.mouse?"}"#,
                ])
        }

        @Test("a start shows everything that is wrong in the settings, and beyond what fits how many more there are")
        func slips() async throws {
            let home = try BlipchatHome("alice")
            mkdir(home.path, 0o700)
            let keys = (1...10).map { "mosue\($0) = true\n" }.joined()
            try TestFile.write("[ui]\ntheme = \"drak\"\n\(keys)[netz]\nx = 1\n", to: home.path + "/config.toml")
            for start in [try await home.run(), try await home.run("--plain")] {
                #expect(start.status == .exited(2))
                let lines = start.errorOutput.split(separator: "\n").map(String.init)
                #expect(lines.count == 9, "\(lines)")
                #expect(lines.first?.contains("config.toml:2:1: theme drak: there is no such theme") == true)
                #expect(lines.dropFirst().first?.contains("config.toml:3:1: unknown key ui.mosue1") == true)
                #expect(lines.last == "blipchat: and 4 more (blipchat config check lists them all)")
            }
            let check = try await home.run("config", "check")
            #expect(check.lines.count == 12)
            #expect(check.lines.last?.hasSuffix("config.toml:14:1: unknown key netz.x (did you mean [net]?)") == true)
        }

        @Test("a value without a meaning is refused where it stands, and a file that is named must be there")
        func values() async throws {
            let home = try BlipchatHome("alice")
            let file = home.path + "/config.toml"
            #expect(try await home.run("config", "set", "ui.theme", "dark").status == .exited(0))
            try TestFile.write(
                "listen = \"foo::bar:99999\"\n[ui]\ntime = \"qq\"\ndate = \"QQ 'd'\"\n", to: file)
            let check = try await home.run("config", "check")
            #expect(check.status == .exited(2))
            #expect(check.lines.map { $0.prefix { $0 != " " } } == ["\(file):1:1:", "\(file):3:1:", "\(file):4:1:"])
            try TestFile.write("", to: file)
            expectOneSentence(try await home.run("config", "set", "ui.time", "qq"), 2, "ui.time", "HH:mm")
            #expect(try await home.run("config", "set", "ui.time", "h.mm a").status == .exited(0))

            let missing = home.path + "/nowhere.toml"
            for (command, word) in [("config", "check"), ("config", "list"), ("id", "show"), ("status", "--json")] {
                let outcome = try await home.run(command, word, "--config", missing)
                expectOneSentence(outcome, 7, missing, "No such file")
            }
            #expect(try await home.run("config", "set", "ui.time", "H:mm", "--config", missing).status == .exited(0))
            #expect(try await home.run("config", "check", "--config", missing).status == .exited(0))
        }

        @Test("changes of many processes at once are all kept, also those of a screen, and the file is whole")
        func atOnce() async throws {
            let screen = try await Screen(BlipchatHome("alice"))
            let home = screen.home
            let file = home.path + "/config.toml"
            // What a killed one has left is in nobody's way, and goes.
            try TestFile.write("torn", to: file + ".blip-new")
            let settings = [
                "ui.list=off", "ui.details=on", "ui.hints=false", "ui.seconds=true", "ui.nick_width=12",
                "net.proxy=http://user:password@averylonghostname.example.org:3128", "net.limit_up=500000",
                "ui.group_minutes=3", "net.keepalive=30", "net.connect_timeout=20", "ui.date=\"d MMM\"",
                "listen=[::1]:4985",
            ].map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            for round in 1...5 {
                try TestFile.write("# comment \(round)\nname = \"K\"\n", to: file)
                let changes = try settings.map { try home.start(["config", "set"] + $0) }
                try await screen.tmux.enter("/set ui.mouse off")
                for change in changes {
                    #expect(try await change.waitForExit() == .exited(0), "\(change.errorOutput)")
                }
                try await eventually("the screen has written, too") { TestFile.text(file).contains("mouse = false") }
                let text = TestFile.text(file)
                #expect(text.hasPrefix("# comment \(round)\nname = \"K\"\n"), "\(text)")
                for setting in settings {
                    let value = try await home.run("config", "get", setting[0]).output
                    #expect(value == setting[1].replacing("\"", with: "") + "\n", "\(setting): \(text)")
                }
                #expect(try await home.run("config", "check").status == .exited(0))
            }
            #expect(!TestFile.names(in: home.path).contains { $0.contains("blip-new") })
            try await screen.quit()
        }

        @Test("serve reads its settings again on SIGHUP and goes on")
        func reloadOfServe() async throws {
            let home = try BlipchatHome("alice")
            let server = try await Server(home)
            #expect(try await home.run("config", "set", "files.auto_accept_max", "1M").status == .exited(0))
            #expect(try await home.run("config", "set", "listen", "127.0.0.1:1").status == .exited(0))
            server.process.signal(SIGHUP)
            try await eventually("it says so", state: { server.process.errorOutput }) {
                server.process.errorOutput.contains("The settings have been reloaded; at the next start: listen")
            }
            try TestFile.write("nonsense\n", to: home.path + "/config.toml")
            server.process.signal(SIGHUP)
            try await eventually("it says what is wrong", state: { server.process.errorOutput }) {
                server.process.errorOutput.contains("config.toml:1:9: = is missing after nonsense")
            }
            try await server.stop()
        }

        @Test("the screen changes its settings and its theme at once, by /set and on SIGHUP")
        func screen() async throws {
            let screen = try await Screen(BlipchatHome("alice"))
            let file = screen.home.path + "/config.toml"
            try await screen.tmux.enter("/set ui.title off")
            try await screen.tmux.waitFor("the new value") { $0.contains("ui.title = false") }
            try await screen.tmux.enter("/set listen 127.0.0.1:0")
            try await screen.tmux.waitFor("when it counts") { $0.contains("at the next start") }
            try await screen.tmux.enter("/theme lihgt")
            try await screen.tmux.waitFor("the nearest") { $0.contains("did you mean") }
            try await screen.tmux.enter("/theme light")
            try await screen.tmux.waitFor("the theme") { $0.contains("ui.theme = \"light\"") }
            #expect(TestFile.text(file).contains("theme = \"light\"\n"))
            try TestFile.write("[ui]\nhints = tru\n", to: file)
            kill(Int32(try #require(try await screen.home.status().pid)), SIGHUP)
            try await screen.tmux.waitFor("the place of the slip") { $0.contains("config.toml:2:9") }
            try TestFile.write("[ui]\nhints = true\n", to: file)
            try await screen.tmux.enter("/reload")
            try await screen.tmux.waitFor("the end of it") { $0.contains("The settings have been reloaded") }
            try await screen.quit()
        }

        @Test("a message that is not looked at starts the command of the settings, without its text")
        func notification() async throws {
            let screens = try await TwoScreens()
            let told = screens.alice.home.folder.file("notified")
            try await screens.alice.tmux.enter("/set notify.command sh -c 'echo \"$1: $2\" >> \(told)' notify")
            try await screens.alice.tmux.waitFor("the command") { $0.contains("notify.command = ") }
            try await screens.alice.tmux.enter("/notify desktop command")
            try await screens.alice.tmux.waitFor("the way") { $0.contains("notify.desktop = ") }
            try await screens.alice.tmux.press("F1")
            try await screens.bob.tmux.enter("/msg alice the secret")
            try await eventually("alice is told") { TestFile.text(told) == "blipchat: bob: new message\n" }
            try await screens.alice.tmux.press("Escape")
            try await screens.alice.waitForLine("the secret")
            try await screens.alice.quit()
            try await screens.bob.quit()
        }
    }
}
