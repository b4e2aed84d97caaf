// The names by which reactions are typed (`:+1:`), and what may be one.

import ChatCore
import ChatWords

/// The names that chat programs share, of what people use most.
enum EmojiNames {
    static let table: [(name: String, emoji: String)] = [
        ("+1", "👍"), ("thumbsup", "👍"), ("-1", "👎"), ("thumbsdown", "👎"), ("ok_hand", "👌"), ("ok", "👌"),
        ("clap", "👏"), ("wave", "👋"), ("pray", "🙏"), ("thanks", "🙏"), ("muscle", "💪"), ("raised_hands", "🙌"),
        ("point_up", "☝"), ("handshake", "🤝"), ("heart", "❤"), ("broken_heart", "💔"), ("smile", "😄"),
        ("grin", "😁"), ("joy", "😂"), ("rofl", "🤣"), ("slightly_smiling_face", "🙂"), ("wink", "😉"),
        ("blush", "😊"), ("heart_eyes", "😍"), ("sunglasses", "😎"), ("thinking", "🤔"), ("neutral_face", "😐"),
        ("roll_eyes", "🙄"), ("unamused", "😒"), ("confused", "😕"), ("cry", "😢"), ("sob", "😭"), ("angry", "😠"),
        ("rage", "😡"), ("scream", "😱"), ("open_mouth", "😮"), ("astonished", "😲"), ("sleeping", "😴"),
        ("shrug", "🤷"), ("facepalm", "🤦"), ("eyes", "👀"), ("fire", "🔥"), ("100", "💯"), ("tada", "🎉"),
        ("rocket", "🚀"), ("star", "⭐"), ("sparkles", "✨"), ("zap", "⚡"), ("bulb", "💡"), ("bug", "🐛"),
        ("coffee", "☕"), ("beer", "🍺"), ("cake", "🍰"), ("sun", "☀"), ("warning", "⚠"), ("question", "❓"),
        ("exclamation", "❗"), ("check", "✅"), ("white_check_mark", "✅"), ("x", "❌"), ("no_entry", "⛔"),
        ("lock", "🔒"), ("key", "🔑"), ("hourglass", "⏳"), ("skull", "💀"), ("ghost", "👻"), ("robot", "🤖"),
        ("cat", "🐱"), ("dog", "🐶"),
        ("laughing", "😆"), ("sweat_smile", "😅"), ("upside_down_face", "🙃"), ("innocent", "😇"),
        ("kissing_heart", "😘"), ("yum", "😋"), ("stuck_out_tongue", "😛"), ("zany_face", "🤪"), ("nerd_face", "🤓"),
        ("star_struck", "🤩"), ("partying_face", "🥳"), ("smirk", "😏"), ("expressionless", "😑"), ("no_mouth", "😶"),
        ("grimacing", "😬"), ("lying_face", "🤥"), ("relieved", "😌"), ("pensive", "😔"), ("sleepy", "😪"),
        ("mask", "😷"), ("nauseated_face", "🤢"), ("sneezing_face", "🤧"), ("hot_face", "🥵"), ("cold_face", "🥶"),
        ("dizzy_face", "😵"), ("exploding_head", "🤯"), ("cowboy", "🤠"), ("worried", "😟"), ("frowning", "☹"),
        ("hushed", "😯"), ("flushed", "😳"), ("pleading_face", "🥺"), ("fearful", "😨"), ("cold_sweat", "😰"),
        ("disappointed", "😞"), ("weary", "😩"), ("tired_face", "😫"), ("yawning_face", "🥱"), ("triumph", "😤"),
        ("smiling_imp", "😈"), ("poop", "💩"), ("clown_face", "🤡"), ("alien", "👽"), ("see_no_evil", "🙈"),
        ("kiss", "💋"), ("two_hearts", "💕"), ("sparkling_heart", "💖"), ("blue_heart", "💙"), ("green_heart", "💚"),
        ("yellow_heart", "💛"), ("purple_heart", "💜"), ("black_heart", "🖤"), ("boom", "💥"), ("sweat_drops", "💦"),
        ("zzz", "💤"), ("raised_hand", "✋"), ("vulcan_salute", "🖖"), ("v", "✌"), ("crossed_fingers", "🤞"),
        ("metal", "🤘"), ("call_me_hand", "🤙"), ("point_left", "👈"), ("point_right", "👉"), ("point_down", "👇"),
        ("fist", "✊"), ("punch", "👊"), ("open_hands", "👐"), ("writing_hand", "✍"), ("selfie", "🤳"),
        ("brain", "🧠"), ("ear", "👂"), ("baby", "👶"), ("bow", "🙇"), ("raising_hand", "🙋"), ("running", "🏃"),
        ("dancer", "💃"), ("family", "👪"), ("monkey", "🐒"), ("wolf", "🐺"), ("fox_face", "🦊"), ("lion", "🦁"),
        ("horse", "🐴"), ("unicorn", "🦄"), ("cow", "🐮"), ("pig", "🐷"), ("mouse", "🐭"), ("rabbit", "🐰"),
        ("bear", "🐻"), ("panda_face", "🐼"), ("chicken", "🐔"), ("penguin", "🐧"), ("bird", "🐦"), ("duck", "🦆"),
        ("owl", "🦉"), ("frog", "🐸"), ("turtle", "🐢"), ("snake", "🐍"), ("whale", "🐳"), ("fish", "🐟"),
        ("octopus", "🐙"), ("snail", "🐌"), ("butterfly", "🦋"), ("bee", "🐝"), ("spider", "🕷"), ("rose", "🌹"),
        ("sunflower", "🌻"), ("tulip", "🌷"), ("seedling", "🌱"), ("evergreen_tree", "🌲"), ("cactus", "🌵"),
        ("four_leaf_clover", "🍀"), ("maple_leaf", "🍁"), ("apple", "🍎"), ("banana", "🍌"), ("lemon", "🍋"),
        ("grapes", "🍇"), ("strawberry", "🍓"), ("avocado", "🥑"), ("carrot", "🥕"), ("bread", "🍞"), ("cheese", "🧀"),
        ("egg", "🥚"), ("hamburger", "🍔"), ("fries", "🍟"), ("pizza", "🍕"), ("taco", "🌮"), ("spaghetti", "🍝"),
        ("sushi", "🍣"), ("ice_cream", "🍨"), ("doughnut", "🍩"), ("cookie", "🍪"), ("birthday", "🎂"),
        ("chocolate_bar", "🍫"), ("tea", "🍵"), ("wine_glass", "🍷"), ("cocktail", "🍸"), ("beers", "🍻"),
        ("clinking_glasses", "🥂"), ("earth_africa", "🌍"), ("mountain", "⛰"), ("house", "🏠"), ("office", "🏢"),
        ("car", "🚗"), ("bus", "🚌"), ("train", "🚆"), ("bike", "🚲"), ("airplane", "✈"), ("ship", "🚢"),
        ("anchor", "⚓"), ("construction", "🚧"), ("watch", "⌚"), ("alarm_clock", "⏰"), ("moon", "🌙"),
        ("cloud", "☁"), ("umbrella", "☂"), ("snowflake", "❄"), ("rainbow", "🌈"), ("ocean", "🌊"),
        ("christmas_tree", "🎄"),
        ("balloon", "🎈"), ("gift", "🎁"), ("trophy", "🏆"), ("soccer", "⚽"), ("basketball", "🏀"), ("dart", "🎯"),
        ("video_game", "🎮"), ("game_die", "🎲"), ("art", "🎨"), ("guitar", "🎸"), ("musical_note", "🎵"),
        ("headphones", "🎧"), ("microphone", "🎤"), ("phone", "☎"), ("iphone", "📱"), ("computer", "💻"),
        ("keyboard", "⌨"), ("printer", "🖨"), ("floppy_disk", "💾"), ("camera", "📷"), ("tv", "📺"),
        ("battery", "🔋"), ("flashlight", "🔦"), ("book", "📖"), ("books", "📚"), ("newspaper", "📰"),
        ("moneybag", "💰"), ("email", "✉"), ("inbox_tray", "📥"), ("outbox_tray", "📤"), ("package", "📦"),
        ("pencil", "✏"), ("memo", "📝"), ("briefcase", "💼"), ("file_folder", "📁"), ("calendar", "📅"),
        ("chart", "📈"), ("pushpin", "📌"), ("paperclip", "📎"), ("scissors", "✂"), ("wastebasket", "🗑"),
        ("unlock", "🔓"), ("hammer", "🔨"), ("wrench", "🔧"), ("gear", "⚙"), ("link", "🔗"), ("magnet", "🧲"),
        ("microscope", "🔬"), ("telescope", "🔭"), ("pill", "💊"), ("door", "🚪"), ("bed", "🛏"), ("shower", "🚿"),
        ("shopping_cart", "🛒"), ("bell", "🔔"), ("mega", "📣"), ("speech_balloon", "💬"), ("recycle", "♻"),
        ("arrow_up", "⬆"), ("arrow_down", "⬇"), ("arrow_left", "⬅"), ("arrow_right", "➡"), ("heavy_check_mark", "✔"),
        ("heavy_plus_sign", "➕"), ("infinity", "♾"), ("stop_sign", "🛑"), ("red_circle", "🔴"), ("green_circle", "🟢"),
        ("checkered_flag", "🏁"), ("white_flag", "🏳"), ("rainbow_flag", "🏳️‍🌈"),
    ]

    /// The emoji for `:name:` or `name`, or the word itself when it is one character that is not plain text.
    static func emoji(for word: String) -> String? {
        let name = name(in: word)
        if let known = table.first(where: { $0.name == name }) { return known.emoji }
        let isEmoji = word.count == 1 && !word.unicodeScalars.contains { $0.isASCII }
        return isEmoji && word.utf8.count <= Reaction.limit && SafeText(word, as: .line).width > 0 ? word : nil
    }

    static func suggestion(for word: String) -> String? {
        NearestName.to(name(in: word), among: table.map(\.name), tolerance: .generous)
    }

    /// The first name of an emoji, with or without the mark that asks for its picture.
    static func name(of emoji: String) -> String? {
        func plain(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.filter { $0 != "\u{FE0F}" } }
        let wanted = plain(emoji)
        return table.first { plain($0.emoji) == wanted }?.name
    }

    private static func name(in word: String) -> String {
        var name = word.lowercased()[...]
        if name.hasPrefix(":") { name.removeFirst() }
        if name.hasSuffix(":") { name.removeLast() }
        return String(name)
    }
}
