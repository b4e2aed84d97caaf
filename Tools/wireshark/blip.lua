-- Shows BLIP over WebSocket in Wireshark and tshark: frames, messages, errors and ACKs of all three dialects (Docs/protocol.md).
--
-- To install it, copy or link this file to the folder that Help > About > Folders calls "Personal Lua Plugins" (usually
-- ~/.local/lib/wireshark/plugins). To try it once: tshark -X lua_script:blip.lua -r FILE -Y blipnet
-- The package blipwire puts it at /usr/share/blipwire/blip.lua, and `make install` at PREFIX/share/blipwire/blip.lua. Wireshark
-- does not look there, so that each user decides:
--     ln -s /usr/share/blipwire/blip.lua ~/.local/lib/wireshark/plugins/
--
-- It recognises a link by the answer to the WebSocket handshake: the subprotocol BLIP_3+APPLICATION, or BLIP. That one does not
-- say whether BLIP 2.0 or the dialect of 2013 follows: the preference "Dialect of older links" does, and so does dialect=2.0 in
-- the query of the URL. The preference "Ports" is for links without a subprotocol and for captures without a handshake; those
-- need "Decode As" WebSocket, too: tshark -X lua_script:blip.lua -r FILE -d tcp.port==9000,websocket -o blipnet.ports:9000
-- Links with TLS show nothing of this: blipchat and blipwire write no log of their keys.
--
-- The last frame of a message that has several shows it whole. Compressed data is unpacked and checksums are computed as long
-- as the capture has every frame of that direction; where it has not, the tree says so. Useful filters:
--   blipnet.profile == "echo"    blipnet.flags.type == 2 (errors)    blipnet.number == 7    blipnet.checksum.status == 0 (wrong)
--
-- Everything is called blipnet here because Wireshark has a protocol blip of its own, which knows BLIP_3 of two applications
-- (CBMobile_2, CBMobile_3). It keeps those links unless you switch it off (Analyze > Enabled Protocols, or --disable-protocol blip).

local MAX_KEPT = 4 * 1024 * 1024      -- bytes of one message that are put together
local MAX_UNPACKED = 16 * 1024 * 1024 -- bytes that one piece may unpack to
local WINDOW = 32768

local blip = Proto("blipnet", "BLIP in all dialects")
local handshake = Proto("blipnet_handshake", "Handshakes of BLIP")

local DIALECTS = {
    blip3 = {name = "BLIP_3", mask = 7, meta = nil, more = 0x40, noreply = 0x20, urgent = 0x10, compressed = 0x08,
             has_acks = true, has_checksum = true, has_tokens = false},
    blip2 = {name = "BLIP 2.0", mask = 7, meta = 0x80, more = 0x40, noreply = 0x20, urgent = 0x10, compressed = 0x08,
             has_acks = true, has_checksum = false, has_tokens = true},
    blip = {name = "BLIP of 2013", mask = 3, meta = 0x40, more = 0x20, noreply = 0x10, urgent = 0x08, compressed = 0x04,
            has_acks = false, has_checksum = false, has_tokens = true},
}
local TYPES = {[0] = "request", "response", "error response", [4] = "ACK of a request", [5] = "ACK of a response"}
local TOKENS = {
    "Profile", "Error-Code", "Error-Domain", "Content-Type", "application/json", "application/octet-stream",
    "text/plain; charset=UTF-8", "text/xml", "Accept", "Cache-Control", "must-revalidate", "If-Match", "If-None-Match", "Location",
}

blip.prefs.older = Pref.enum(
    "Dialect of older links", 1, "What the subprotocol BLIP means", {{1, "2013", 1}, {2, "BLIP 2.0", 2}}, false)
blip.prefs.ports = Pref.range("Ports", "", "Links of these TCP ports are BLIP, whatever their handshake says", 65535)
blip.prefs.ports_dialect = Pref.enum(
    "Dialect of these ports", 3, "What links of those ports speak where no handshake says it",
    {{1, "2013", 1}, {2, "BLIP 2.0", 2}, {3, "BLIP_3", 3}}, false)
local BY_PREFERENCE = {"blip", "blip2", "blip3"}

local YES_NO = {[0] = "wrong", [1] = "right", [2] = "not checked"}
local F = {
    dialect = ProtoField.string("blipnet.dialect", "Dialect"),
    number = ProtoField.uint64("blipnet.number", "Message number"),
    flags = ProtoField.uint32("blipnet.flags", "Flags", base.HEX),
    type = ProtoField.uint8("blipnet.flags.type", "Type", base.DEC, TYPES),
    compressed = ProtoField.bool("blipnet.flags.compressed", "Compressed"),
    urgent = ProtoField.bool("blipnet.flags.urgent", "Urgent"),
    noreply = ProtoField.bool("blipnet.flags.noreply", "No reply"),
    more = ProtoField.bool("blipnet.flags.more", "More coming"),
    meta = ProtoField.bool("blipnet.flags.meta", "Meta"),
    ack = ProtoField.uint64("blipnet.ack.bytes", "Acknowledged bytes"),
    data = ProtoField.bytes("blipnet.data", "Data"),
    packed = ProtoField.bytes("blipnet.data.packed", "Compressed data"),
    properties_length = ProtoField.uint64("blipnet.properties.length", "Bytes of properties"),
    property = ProtoField.string("blipnet.property", "Property"),
    property_name = ProtoField.string("blipnet.property.name", "Name"),
    property_value = ProtoField.string("blipnet.property.value", "Value"),
    profile = ProtoField.string("blipnet.profile", "Profile"),
    error_domain = ProtoField.string("blipnet.error.domain", "Error domain"),
    error_code = ProtoField.int32("blipnet.error.code", "Error code"),
    body = ProtoField.bytes("blipnet.body", "Body"),
    body_length = ProtoField.uint32("blipnet.body.length", "Bytes of the body"),
    body_text = ProtoField.string("blipnet.body.text", "Text"),
    whole = ProtoField.none("blipnet.message", "Whole message"),
    body_part = ProtoField.bytes("blipnet.body.part", "Part of the message"),
    checksum = ProtoField.uint32("blipnet.checksum", "Checksum", base.HEX),
    checksum_status = ProtoField.uint8("blipnet.checksum.status", "Checksum status", base.DEC, YES_NO),
    frame = ProtoField.framenum("blipnet.message.frame", "Frame of this message"),
    frame_index = ProtoField.uint32("blipnet.message.index", "Number of this frame in its message"),
    frame_count = ProtoField.uint32("blipnet.message.frames", "Frames of this message"),
    complete_in = ProtoField.framenum("blipnet.message.complete_in", "Whole message in"),
    response_in = ProtoField.framenum("blipnet.response_in", "Response in", base.NONE, frametype.RESPONSE),
    request_in = ProtoField.framenum("blipnet.request_in", "Request in", base.NONE, frametype.REQUEST),
}
blip.fields = {}
for _, field in pairs(F) do table.insert(blip.fields, field) end

local E = {
    malformed = ProtoExpert.new("blipnet.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR),
    checksum = ProtoExpert.new("blipnet.checksum.wrong", "Wrong checksum", expert.group.CHECKSUM, expert.severity.ERROR),
    sequence = ProtoExpert.new("blipnet.sequence", "Number out of order", expert.group.SEQUENCE, expert.severity.WARN),
    unpack = ProtoExpert.new("blipnet.unpack", "Cannot be unpacked", expert.group.UNDECODED, expert.severity.ERROR),
    absent = ProtoExpert.new("blipnet.absent", "Needs frames that are not in the capture", expert.group.UNDECODED, expert.severity.NOTE),
    failure = ProtoExpert.new("blipnet.error", "Error response", expert.group.RESPONSE_CODE, expert.severity.NOTE),
    unknown = ProtoExpert.new("blipnet.type.unknown", "Unknown type", expert.group.UNDECODED, expert.severity.WARN),
}
blip.experts = {}
for _, one in pairs(E) do table.insert(blip.experts, one) end

local stream_field, opcode_field = Field.new("tcp.stream"), Field.new("websocket.opcode")
local mask_field = Field.new("websocket.mask")
local status_field, answer_field = Field.new("http.response.code"), Field.new("http.sec_websocket_protocol")
local accept_field, uri_field = Field.new("http.sec_websocket_accept"), Field.new("http.request.uri")

-- ---------------------------------------------------------------------------------------------------------------------
-- Arithmetic of bits, in Lua 5.2 (Wireshark 4.0) and in 5.4 (from 4.4 on).

local bits = bit32
if not bits then
    bits = load([[return {
        band = function(a, b) return a & b end, bxor = function(a, b) return a ~ b end,
        rshift = function(a, n) return a >> n end, lshift = function(a, n) return a << n end}]])()
end
local band, bxor, rshift, lshift = bits.band, bits.bxor, bits.rshift, bits.lshift
local unpack_list = table.unpack or unpack

local CRC = {}
for index = 0, 255 do
    local value = index
    for _ = 1, 8 do
        local low = band(value, 1)
        value = rshift(value, 1)
        if low == 1 then value = bxor(value, 0xedb88320) end
    end
    CRC[index] = value
end

-- The CRC-32 after `text`, where it was `crc` before.
local function crc32(crc, text)
    local value = bxor(crc, 0xffffffff)
    for at = 1, #text, 4096 do
        local piece = {text:byte(at, math.min(at + 4095, #text))}
        for index = 1, #piece do
            value = bxor(rshift(value, 8), CRC[band(bxor(value, piece[index]), 0xff)])
        end
    end
    return bxor(value, 0xffffffff)
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Deflate (RFC 1951). A Huffman code is a table from the bits of each code, with a 1 before them, to its symbol.

local function huffman(lengths, first, count)
    local codes, next_code, counts = {}, {}, {}
    for index = first, first + count - 1 do counts[lengths[index]] = (counts[lengths[index]] or 0) + 1 end
    local code = 0
    for length = 1, 15 do
        next_code[length] = code
        code = (code + (counts[length] or 0)) * 2
    end
    for index = first, first + count - 1 do
        local length = lengths[index]
        if length > 0 then
            codes[lshift(1, length) + next_code[length]] = index - first
            next_code[length] = next_code[length] + 1
        end
    end
    return codes
end

local LENGTH_BASE, LENGTH_EXTRA, DISTANCE_BASE, DISTANCE_EXTRA = {}, {}, {}, {}
do
    local value = 3
    for index = 0, 27 do
        local extra = index < 8 and 0 or math.floor(index / 4) - 1
        LENGTH_BASE[index], LENGTH_EXTRA[index] = value, extra
        value = value + 2 ^ extra
    end
    LENGTH_BASE[28], LENGTH_EXTRA[28] = 258, 0
    value = 1
    for index = 0, 29 do
        local extra = index < 4 and 0 or math.floor(index / 2) - 1
        DISTANCE_BASE[index], DISTANCE_EXTRA[index] = value, extra
        value = value + 2 ^ extra
    end
end
local CODE_ORDER = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
local FIXED_LITERALS, FIXED_DISTANCES
do
    local lengths = {}
    for index = 0, 287 do lengths[index] = index < 144 and 8 or index < 256 and 9 or index < 280 and 7 or 8 end
    FIXED_LITERALS = huffman(lengths, 0, 288)
    for index = 0, 29 do lengths[index] = 5 end
    FIXED_DISTANCES = huffman(lengths, 0, 30)
end

-- Unpacks whole blocks until the input ends between two of them or a last block has come. `history` is what was unpacked
-- before. Returns the text and how many bytes of input were used; on bad input it raises an error.
local function inflate(input, history)
    local at, buffer, buffered = 1, 0, 0
    local out, count, chunks = {}, 0, {}
    local past = #history

    local function take(wanted)
        while buffered < wanted do
            local byte = input:byte(at)
            if not byte then error("the data ends within a block", 0) end
            buffer = buffer + byte * 2 ^ buffered
            at, buffered = at + 1, buffered + 8
        end
        local value = buffer % 2 ^ wanted
        buffer, buffered = math.floor(buffer / 2 ^ wanted), buffered - wanted
        return math.floor(value)
    end

    local function symbol(codes)
        local code, length = 1, 0
        repeat
            if buffered == 0 then
                buffer = input:byte(at)
                if not buffer then error("the data ends within a block", 0) end
                at, buffered = at + 1, 8
            end
            local low = buffer % 2
            code, length = code * 2 + low, length + 1
            buffer, buffered = (buffer - low) / 2, buffered - 1
            local found = codes[code]
            if found then return found end
        until length == 15
        error("a code that the block does not have", 0)
    end

    local function emit(byte)
        count = count + 1
        out[count] = byte
        if count > MAX_UNPACKED then error("more than 16 MiB", 0) end
    end

    local function read_codes()
        local literals, distances, lengths_of_codes = take(5) + 257, take(5) + 1, take(4) + 4
        local lengths = {}
        for index = 0, 18 do lengths[index] = 0 end
        for index = 1, lengths_of_codes do lengths[CODE_ORDER[index]] = take(3) end
        local codes = huffman(lengths, 0, 19)
        local all, total = {}, 0
        while total < literals + distances do
            local value, times = symbol(codes), 1
            if value == 16 then
                if total == 0 then error("nothing to repeat", 0) end
                value, times = all[total - 1], 3 + take(2)
            elseif value == 17 then
                value, times = 0, 3 + take(3)
            elseif value == 18 then
                value, times = 0, 11 + take(7)
            end
            for _ = 1, times do
                all[total] = value
                total = total + 1
            end
        end
        if total > literals + distances then error("too many lengths", 0) end
        return huffman(all, 0, literals), huffman(all, literals, distances)
    end

    while true do
        -- The input may end here: what is left of the last byte belongs to no block.
        if at > #input and buffered == 0 then break end
        local is_last, kind = take(1), take(2)
        if kind == 0 then
            buffer, buffered = 0, 0
            local length, complement = take(16), take(16)
            if length + complement ~= 0xffff then error("a stored block of a wrong length", 0) end
            if at + length - 1 > #input then error("the data ends within a block", 0) end
            for index = at, at + length - 1 do emit(input:byte(index)) end
            at = at + length
        elseif kind == 3 then
            error("a block of no known kind", 0)
        else
            local literals, distances = FIXED_LITERALS, FIXED_DISTANCES
            if kind == 2 then literals, distances = read_codes() end
            while true do
                local value = symbol(literals)
                if value < 256 then
                    emit(value)
                elseif value == 256 then
                    break
                else
                    local length_index = value - 257
                    if length_index > 28 then error("a length that is none", 0) end
                    local length = LENGTH_BASE[length_index] + take(LENGTH_EXTRA[length_index])
                    local distance_index = symbol(distances)
                    local distance = DISTANCE_BASE[distance_index] + take(DISTANCE_EXTRA[distance_index])
                    if distance > count + past then error("refers to what is before the beginning", 0) end
                    for _ = 1, length do
                        local from = count + 1 - distance
                        emit(from > 0 and out[from] or history:byte(past + from))
                    end
                end
            end
        end
        if is_last == 1 then break end
    end
    for index = 1, count, 4096 do
        table.insert(chunks, string.char(unpack_list(out, index, math.min(index + 4095, count))))
    end
    return table.concat(chunks), at - 1
end

-- The text of one whole gzip member (RFC 1952); on bad input it raises an error.
local function gunzip(input)
    if #input < 18 or input:sub(1, 3) ~= "\31\139\8" then error("no gzip member", 0) end
    local flags, at = input:byte(4), 11
    if band(flags, 4) ~= 0 then at = at + 2 + input:byte(11) + 256 * input:byte(12) end
    for _, flag in ipairs {8, 16} do
        if band(flags, flag) ~= 0 then at = (input:find("\0", at, true) or #input) + 1 end
    end
    if band(flags, 2) ~= 0 then at = at + 2 end
    local text, used = inflate(input:sub(at), "")
    local trailer = input:sub(at + used)
    if #trailer ~= 8 then error("the gzip member has not its length", 0) end
    local a, b, c, d = trailer:byte(1, 4)
    if crc32(0, text) ~= a + b * 0x100 + c * 0x10000 + d * 0x1000000 then error("the gzip member's checksum is wrong", 0) end
    return text
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Bytes of messages.

-- The varint of a text at `at`, and where it ends; nil: there is none, or it is above what a number of Lua holds.
local function varint(text, at)
    local value, factor = 0, 1.0
    for index = at, at + 9 do
        local byte = text:byte(index)
        if not byte then return nil end
        value = value + (byte % 128) * factor
        if byte < 128 then
            if value > 2 ^ 53 then return nil end
            return value, index + 1
        end
        factor = factor * 128
    end
    return nil
end

local function uint64(value)
    return UInt64.new(value % 2 ^ 32, math.floor(value / 2 ^ 32))
end

local function is_utf8(text)
    local at = 1
    while at <= #text do
        local byte = text:byte(at)
        local more = byte < 0x80 and 0 or byte >= 0xc2 and byte < 0xe0 and 1 or byte >= 0xe0 and byte < 0xf0 and 2
            or byte >= 0xf0 and byte < 0xf5 and 3
        if not more then return false end
        for index = at + 1, at + more do
            local next_byte = text:byte(index)
            if not next_byte or next_byte < 0x80 or next_byte > 0xbf then return false end
        end
        at = at + more + 1
    end
    return true
end

-- What is shown of a text from the wire: bytes that are no UTF-8, and control characters, as \xHH.
local function shown(text)
    local control = is_utf8(text) and "[\0\1-\31\127]" or "[^\32-\126]"
    return (text:gsub(control, function(byte) return string.format("\\x%02x", byte:byte()) end))
end

-- Cuts message data: the pairs with their places, and where the body begins; nil and why not.
-- Places are from 1. Where `is_whole` is false, the properties may end in a later frame: then it returns nil without a reason.
local function parse_message(text, dialect, is_whole)
    local length, at = varint(text, 1)
    if not length then return nil, is_whole and "no length of the properties" or nil end
    local body = at + length
    if body - 1 > #text then return nil, is_whole and "the properties are longer than the message" or nil end
    local strings, pairs_found, seen, fault = {}, {}, {}, nil
    local place = at
    while place < body do
        local zero = text:find("\0", place, true)
        if not zero or zero >= body then
            fault = "the properties end within a string"
            break
        end
        local value = text:sub(place, zero - 1)
        local token = dialect.has_tokens and #value == 1 and value:byte() < 0x20
        if token then
            value = TOKENS[value:byte()]
            if not value then
                fault = "an unknown token"
                value = "?"
            end
        end
        if not is_utf8(value) then fault = "a property that is not UTF-8" end
        table.insert(strings, {text = value, token = token, from = place, to = zero})
        place = zero + 1
    end
    for index = 1, #strings - 1, 2 do
        local name, value = strings[index], strings[index + 1]
        if seen[name.text] then fault = "a property that repeats a name" end
        seen[name.text] = value.text
        table.insert(pairs_found, {name = name, value = value})
    end
    if #strings % 2 == 1 then fault = fault or "a name without a value" end
    return {length = length, properties = at, pairs = pairs_found, values = seen, body = body, fault = fault}
end

-- ---------------------------------------------------------------------------------------------------------------------
-- What a capture has shown so far: the handshakes, the links, and what was found out about each frame.

local handshakes, links, found, current, ordinal

function blip.init()
    handshakes, links, found, current, ordinal = {}, {}, {}, nil, 0
end

-- Remembers what the handshake in this packet says, if there is one.
local function note_handshake()
    local stream, uri, accept = stream_field(), uri_field(), accept_field()
    if not stream or not (uri or accept) then return end
    local known = handshakes[stream.value] or {}
    handshakes[stream.value] = known
    if uri and not known.accepted then known.uri = tostring(uri.value) end
    local status = status_field()
    if accept and status and status.value == 101 then
        local answer = answer_field()
        known.accepted = true
        known.subprotocol = answer and tostring(answer.value) or nil
    end
end

-- Whether a port is one of the preference.
local listed_ports
local function is_listed_port(port)
    if not listed_ports then
        listed_ports = {}
        for first, last in tostring(blip.prefs.ports):gmatch("(%d+)%-?(%d*)") do
            for one = tonumber(first), math.min(tonumber(last) or tonumber(first), 65535) do listed_ports[one] = true end
        end
    end
    return listed_ports[port] ~= nil
end

function blip.prefs_changed()
    listed_ports = nil
end

-- Which dialect the link of this packet speaks, and how that is known; nil: it is no BLIP.
local function dialect_of(pinfo, stream)
    local known = handshakes[stream]
    local name = known and known.accepted and known.subprotocol
    if name and name:sub(1, 7) == "BLIP_3+" then return "blip3", "subprotocol " .. name end
    local is_listed = is_listed_port(pinfo.src_port) or is_listed_port(pinfo.dst_port)
    if name == "BLIP" or (is_listed and known and known.accepted and not name) then
        local why = name and "subprotocol BLIP" or "no subprotocol"
        local query = (known.uri or ""):match("%?(.*)") or ""
        if ("&" .. query .. "&"):find("&dialect=2.0&", 1, true) then return "blip2", why .. ", dialect=2.0 in the URL" end
        return BY_PREFERENCE[blip.prefs.older], why .. ", preference"
    end
    if is_listed then return BY_PREFERENCE[blip.prefs.ports_dialect], "preference" end
    return nil
end

-- The state of a link, with a part for what the client and what the server sends.
local function link_of(stream)
    local link = links[stream]
    if not link then
        local is_whole = handshakes[stream] and handshakes[stream].accepted or false
        link = {is_whole = is_whole}
        for _, side in ipairs {"client", "server"} do
            link[side] = {
                -- CRC-32 and window after the last frame; nil: not known.
                crc = is_whole and 0 or nil, window = is_whole and "" or nil,
                -- Messages under way by number, the last request, and the requests that a response may answer.
                request = {}, response = {}, last = 0, asked = {},
            }
        end
        links[stream] = link
    end
    return link
end

-- Takes a frame when it is seen for the first time: what only the frames before it can say goes into the result.
local function take_frame(text, name, link, side, number_of_packet)
    local dialect = DIALECTS[name]
    local result = {dialect = dialect, faults = {}}
    local function fault(kind, why) table.insert(result.faults, {kind, why}) end
    local number, after_number = varint(text, 1)
    local flags, after_flags
    if number then flags, after_flags = varint(text, after_number) end
    if not flags then
        fault("malformed", "a frame without number and flags")
        return result
    end
    result.number, result.flags, result.flags_at, result.data_at = number, flags, after_number, after_flags
    local function has(flag) return flag ~= nil and math.floor(flags / flag) % 2 == 1 end
    local kind = flags % (dialect.mask + 1)
    result.type = kind
    for _, flag in ipairs {"compressed", "urgent", "noreply", "more", "meta"} do result[flag] = has(dialect[flag]) end

    if dialect.has_acks and (kind == 4 or kind == 5) then
        result.ack = varint(text, after_flags)
        if not result.ack then fault("malformed", "an ACK without a count") end
        local other = link[side == "client" and "server" or "client"]
        result.message = other[kind == 4 and "request" or "response"][number]
        return result
    end

    local own = link[side]
    local data_end = #text
    if dialect.has_checksum then
        data_end = #text - 4
        if data_end < after_flags - 1 then
            fault("malformed", "a frame of fewer than 4 bytes after the header")
            return result
        end
        local a, b, c, d = text:byte(data_end + 1, data_end + 4)
        result.checksum = a * 0x1000000 + b * 0x10000 + c * 0x100 + d
    end
    result.data_end = data_end
    local data = text:sub(after_flags, data_end)
    if dialect.has_checksum and result.compressed then
        if #data == 0 then
            data = ""
        elseif own.window then
            local ok, unpacked = pcall(inflate, data .. "\0\0\255\255", own.window)
            if ok then
                own.window = (own.window .. unpacked):sub(-WINDOW)
                data = unpacked
                result.unpacked = unpacked
            else
                own.window, own.crc, data = nil, nil, nil
                fault("unpack", unpacked)
            end
        else
            data = nil
            fault("absent", "the compressed frames before this one are not in the capture, or could not be unpacked")
        end
    end
    if dialect.has_checksum then
        result.checksum_status = 2
        if data and own.crc then
            result.computed = crc32(own.crc, data)
            result.checksum_status = result.computed == result.checksum and 1 or 0
        end
        -- The register is what the sender says it is: so one gap costs one check.
        own.crc = result.checksum
    end
    if kind > 2 then
        result.is_unknown = true
        return result
    end

    local open = own[kind == 0 and "request" or "response"]
    local message = open[number]
    if not message then
        message = {number = number, type = kind, frames = {}, parts = {}, kept = 0, size = 0, dialect = dialect,
                   compressed = result.compressed, urgent = result.urgent, noreply = result.noreply, meta = result.meta}
        open[number] = message
        if kind == 0 then
            if link.is_whole and number ~= own.last + 1 then
                fault("sequence", string.format("request %.0f, where %.0f is the next", number, own.last + 1))
            end
            own.last = number
            if not message.noreply then own.asked[number] = message end
        else
            local asked = link[side == "client" and "server" or "client"].asked[number]
            if asked and not asked.response then
                asked.response, message.request = message, asked
            elseif link.is_whole then
                fault("sequence", "a response that no request waits for")
            end
        end
    end
    result.message = message
    table.insert(message.frames, number_of_packet)
    result.index = #message.frames
    if data then
        message.size = message.size + #data
        if message.kept + #data <= MAX_KEPT then
            table.insert(message.parts, data)
            message.kept = message.kept + #data
        end
    else
        message.is_torn = true
    end
    if result.index == 1 and data then
        local parsed = parse_message(data, dialect, false)
        if parsed then message.profile = message.profile or parsed.values["Profile"] end
    end
    if not result.more then
        open[number] = nil
        message.is_complete = true
        result.is_last = true
        if #message.frames > 1 and not message.is_torn and message.kept == message.size then
            message.text = table.concat(message.parts)
        end
        message.parts = nil
    end
    return result
end

-- ---------------------------------------------------------------------------------------------------------------------
-- The tree.

local function add_body(tree, range, text)
    local item = range and tree:add(F.body, range) or tree:add(F.body, "")
    item:append_text(string.format(" (%d bytes)", #text))
    item:add(F.body_length, #text):set_generated()
    if #text > 0 and #text <= 65536 and is_utf8(text) and not text:find("[\0\1-\8\14-\31]") then
        item:add(F.body_text, range, text)
    end
end

-- Adds the properties and the body of message data; `tvb` has the bytes of `text` from `offset` on.
local function add_message(tree, tvb, offset, text, message, is_whole)
    local parsed, why = parse_message(text, message.dialect, is_whole)
    local function range(from, to) return tvb:range(offset + from - 1, to - from + 1) end
    if not parsed then
        if why then
            tree:add_proto_expert_info(E.malformed, why)
        elseif #text > 0 then
            tree:add(F.body_part, range(1, #text)):append_text(" (the properties end in a later frame)")
        end
        return nil
    end
    tree:add(F.properties_length, range(1, parsed.properties - 1), uint64(parsed.length))
    for _, pair in ipairs(parsed.pairs) do
        local name, value = pair.name, pair.value
        local item = tree:add(F.property, range(name.from, value.to), shown(name.text) .. ": " .. shown(value.text))
        local of_name = item:add(F.property_name, range(name.from, name.to), shown(name.text))
        if name.token then of_name:append_text(" (token)") end
        local of_value = item:add(F.property_value, range(value.from, value.to), shown(value.text))
        if value.token then of_value:append_text(" (token)") end
        if name.text == "Profile" then
            tree:add(F.profile, range(value.from, value.to), shown(value.text)):set_generated()
        end
    end
    if parsed.fault then tree:add_proto_expert_info(E.malformed, parsed.fault) end
    if message.type == 2 then
        local domain, digits = parsed.values["Error-Domain"] or "BLIP", (parsed.values["Error-Code"] or ""):match("^%-?%d+$")
        local code = tonumber(digits or "599")
        if code < -2 ^ 31 or code >= 2 ^ 31 then code = 599 end
        tree:add(F.error_domain, shown(domain)):set_generated()
        tree:add(F.error_code, math.floor(code)):set_generated()
        tree:add_proto_expert_info(E.failure, string.format("%s %d", shown(domain), code))
        parsed.error = string.format("%s %d", shown(domain), code)
    end
    local body = text:sub(parsed.body)
    if not is_whole then
        if #body > 0 then tree:add(F.body_part, range(parsed.body, #text)):append_text(" (the body's beginning)") end
    elseif message.compressed and not message.dialect.has_checksum and #body > 0 then
        tree:add(F.packed, range(parsed.body, #text)):append_text(" (a gzip member)")
        if not message.unpacked and not message.unpack_fault then
            local ok, unpacked = pcall(gunzip, body)
            if ok then message.unpacked = unpacked else message.unpack_fault = unpacked end
        end
        if message.unpacked then
            local unpacked = message.unpacked
            add_body(tree, #unpacked > 0 and ByteArray.new(unpacked, true):tvb("Unpacked body"):range() or nil, unpacked)
        else
            tree:add_proto_expert_info(E.unpack, message.unpack_fault)
        end
    else
        add_body(tree, #body > 0 and range(parsed.body, #text) or nil, body)
    end
    return parsed
end

local function add_flags(tree, tvb, result)
    local dialect = result.dialect
    local range = tvb:range(result.flags_at - 1, result.data_at - result.flags_at)
    local item = tree:add(F.flags, range, result.flags % 2 ^ 32)
    item:add(F.type, range, result.type)
    local words = {TYPES[result.type] or "unknown type"}
    for _, flag in ipairs {{"compressed", "compressed"}, {"urgent", "urgent"}, {"noreply", "no-reply"}, {"more", "more-coming"},
                           {"meta", "meta"}} do
        if dialect[flag[1]] then
            item:add(F[flag[1]], range, result[flag[1]])
            if result[flag[1]] then table.insert(words, flag[2]) end
        end
    end
    item:append_text(" (" .. table.concat(words, ", ") .. ")")
    return words
end

-- What belongs together: the frames of the message, the request and its response.
local function add_relations(tree, result, packet)
    local message = result.message
    if not message then return end
    if result.index then
        tree:add(F.frame_index, result.index):set_generated()
        if message.is_complete then tree:add(F.frame_count, #message.frames):set_generated() end
        if #message.frames > 1 then
            local last
            for _, frame in ipairs(message.frames) do
                if frame ~= last then tree:add(F.frame, frame):set_generated() end
                last = frame
            end
            if message.is_complete and not result.is_last then
                tree:add(F.complete_in, message.frames[#message.frames]):set_generated()
            end
        end
    end
    if message.request then tree:add(F.request_in, message.request.frames[1]):set_generated() end
    if message.response then tree:add(F.response_in, message.response.frames[1]):set_generated() end
end

local function show(tvb, text, pinfo, tree, result, why)
    local item = tree:add(blip, tvb:range())
    item:add(F.dialect, result.dialect.name):set_generated():append_text(" (" .. why .. ")")
    local title
    if result.flags then
        item:add(F.number, tvb:range(0, result.flags_at - 1), uint64(result.number))
        local words = add_flags(item, tvb, result)
        title = string.format("%s %.0f", table.remove(words, 1), result.number)
        local message = result.message
        if result.ack then
            item:add(F.ack, tvb:range(result.data_at - 1), uint64(result.ack))
            title = string.format("%s, %.0f bytes", title, result.ack)
        elseif result.data_end then
            local length = result.data_end - result.data_at + 1
            local data_tvb, offset, data = tvb, result.data_at - 1, text:sub(result.data_at, result.data_end)
            local is_torn = false
            if result.compressed and result.dialect.has_checksum and length > 0 then
                item:add(F.packed, tvb:range(offset, length)):append_text(string.format(" (%d bytes)", length))
                if result.unpacked then
                    offset, data = 0, result.unpacked
                    data_tvb = #data > 0 and ByteArray.new(data, true):tvb("Unpacked BLIP frame") or tvb
                else
                    is_torn = true
                end
            elseif length > 0 then
                item:add(F.data, tvb:range(offset, length)):append_text(string.format(" (%d bytes)", length))
            end
            local parsed
            if message and not is_torn then
                if result.index == 1 then
                    parsed = add_message(item, data_tvb, offset, data, message, result.is_last)
                elseif #data > 0 then
                    item:add(F.body_part, data_tvb:range(offset, #data))
                end
            end
            if result.checksum then
                local sum = item:add(F.checksum, tvb:range(result.data_end, 4))
                sum:append_text(" (" .. YES_NO[result.checksum_status] .. ")")
                item:add(F.checksum_status, tvb:range(result.data_end, 4), result.checksum_status):set_generated()
                if result.checksum_status == 0 then
                    sum:add_proto_expert_info(E.checksum, string.format("Wrong checksum: should be %08x", result.computed))
                end
            end
            if message and result.is_last and result.index > 1 then
                if message.text and #message.text > 0 then
                    local whole = ByteArray.new(message.text, true)
                    local whole_tvb = whole:tvb("Whole BLIP message")
                    local part = item:add(F.whole, whole_tvb:range()):append_text(string.format(" (%d bytes)", #message.text))
                    parsed = add_message(part, whole_tvb, 0, message.text, message, true)
                else
                    item:add_proto_expert_info(E.absent, message.is_torn and "parts of this message could not be unpacked"
                        or string.format("a message of %.0f bytes, which is not put together", message.size))
                end
            end
            if message and message.profile then table.insert(words, 1, shown(message.profile)) end
            if parsed and parsed.error then table.insert(words, 1, parsed.error) end
            if #words > 0 then title = title .. ", " .. table.concat(words, ", ") end
            title = string.format("%s, %d bytes", title, #data)
        end
        if result.is_unknown then item:add_proto_expert_info(E.unknown) end
        add_relations(item, result, pinfo.number)
    else
        title = "malformed frame"
    end
    for _, one in ipairs(result.faults) do item:add_proto_expert_info(E[one[1]], one[2]) end
    item:set_text("BLIP, " .. title)
    pinfo.cols.protocol = "BLIP"
    -- What WebSocket has written there goes; what other frames of this packet have written is before the fence.
    pinfo.cols.info:set((current.has_title and " | " or "") .. title)
    pinfo.cols.info:fence()
    current.has_title = true
end

-- One WebSocket message. The heuristic of WebSocket calls it for each; it takes those of links that speak BLIP.
local function dissect(tvb, pinfo, tree)
    note_handshake()
    local stream = stream_field()
    local opcodes = {opcode_field()}
    local opcode = opcodes[#opcodes]
    if not stream or (opcode and opcode.value ~= 2 and opcode.value ~= 0) then return false end
    stream = stream.value
    local name, why = dialect_of(pinfo, stream)
    if not name then return false end
    if not current or current.packet ~= pinfo.number then
        current, ordinal = {packet = pinfo.number}, 0
    end
    ordinal = ordinal + 1
    local text = tvb:len() > 0 and tvb:raw() or ""
    local key = pinfo.number .. ":" .. ordinal
    local result = found[key]
    if not result then
        local masks = {mask_field()}
        local mask = masks[#masks]
        result = take_frame(text, name, link_of(stream), mask and mask.value and "client" or "server", pinfo.number)
        found[key] = result
    end
    show(tvb, text, pinfo, tree, result, why)
    return true
end

function blip.dissector(tvb, pinfo, tree)
    dissect(tvb, pinfo, tree)
    return tvb:len()
end
blip:register_heuristic("ws", dissect)

-- Looks at each packet after all others: handshakes, and where the count of messages in a packet begins again.
function handshake.dissector()
    note_handshake()
    current = nil
end
register_postdissector(handshake, true)
