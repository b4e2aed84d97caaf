#!/usr/bin/env python3
"""The chat room of the founding document, on python-socketio 5: for blipchat, for its own clients and for a web page.

Usage: chat_room.py --log FILE [--port N] [--certificate FILE --key FILE] [--interval S] [--replay N] [--silent] [--others]
                    [--script FILE]
Prints {"port": N} once it listens. Appends a line of JSON to the log for whatever it gets, before it answers and in the
order in which everybody else hears it. SIGTERM closes every connection and ends it.

chatMessage, customEvent and binaryEvent go to everybody in one order, and each is acknowledged. `ackTest` sends everybody
else that many lines at once, each of which wants an acknowledgement. `users` says who has spoken and is still there.
--replay N: who comes is told the last N lines first. --silent: nothing is acknowledged. --others: nobody hears himself.
--script FILE: socket.io.min.js for the page at / (room_page.html).
"""

import argparse
import asyncio
import hashlib
import json
import pathlib
import signal
import ssl

import aiohttp.web
import socketio

parser = argparse.ArgumentParser()
parser.add_argument("--log", required=True)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--certificate")
parser.add_argument("--key")
# Servers announce whole seconds only.
parser.add_argument("--interval", type=int, default=1)
parser.add_argument("--replay", type=int, default=0)
parser.add_argument("--silent", action="store_true")
parser.add_argument("--others", action="store_true")
parser.add_argument("--script")
options = parser.parse_args()

server = socketio.AsyncServer(
    async_mode="aiohttp", cors_allowed_origins="*", ping_interval=options.interval, ping_timeout=5,
    # Else what is said to somebody who has just come goes out before CONNECT is answered.
    always_connect=True)
log = open(options.log, "a", buffering=1)
# The lines of this run and of those before it.
said = [entry["line"] for entry in map(json.loads, open(options.log)) if entry["event"] == "chatMessage"]
names = {}
# Whoever holds it says something to everybody: all hear all in the same order.
order = asyncio.Lock()


def note(event, **fields):
    log.write(json.dumps({"event": event, **fields}) + "\n")


async def tell(event, data, sid):
    """To everybody who has been told what was before."""
    await server.emit(event, data, room="present", skip_sid=sid if options.others else None)


async def acknowledgement():
    """What a handler returns; a silent room returns from none."""
    if options.silent:
        await asyncio.sleep(3600)
    return "ok"


async def knows(sid, data):
    name = data.get("sender") if isinstance(data, dict) else None
    if isinstance(name, str) and names.get(sid) != name:
        names[sid] = name
        await server.emit("users", sorted(set(names.values())), room="present")


@server.event
async def connect(sid, environ, auth=None):
    async with order:
        for line in said[len(said) - min(options.replay, len(said)):]:
            await server.emit("chatMessage", line, room=sid)
        await server.enter_room(sid, "present")
        note("connect", sid=sid)


@server.event
async def disconnect(sid, reason=None):
    note("disconnect", sid=sid)
    if names.pop(sid, None) is not None:
        await server.emit("users", sorted(set(names.values())), room="present")


@server.event
async def chatMessage(sid, data):
    async with order:
        note("chatMessage", line=data)
        said.append(data)
        await tell("chatMessage", data, sid)
        await knows(sid, data)
    return await acknowledgement()


@server.event
async def customEvent(sid, *data):
    async with order:
        note("customEvent", values=data)
        await tell("customEvent", data, sid)
    return await acknowledgement()


@server.event
async def binaryEvent(sid, data):
    bytes = data["binaryData"]
    async with order:
        note("binaryEvent", sha256=hashlib.sha256(bytes).hexdigest(), size=len(bytes), sender=data.get("sender"))
        await tell("binaryEvent", data, sid)
    return await acknowledgement()


@server.event
async def ackTest(sid, count):
    count = int(count)
    others = [other for other, _ in server.manager.get_participants("/", "present") if other != sid]

    async def ask(other, number):
        answer = await server.call(
            "chatMessage", {"message": f"question {number}", "sender": "room"}, to=other, timeout=30)
        note("answer", number=number, answer=answer)

    await asyncio.gather(*(ask(other, number) for number in range(count) for other in others))
    return "ok"


async def main():
    application = aiohttp.web.Application(client_max_size=8_000_000)
    server.attach(application)
    page = pathlib.Path(__file__).with_name("room_page.html")
    application.router.add_get("/", lambda request: served(page))
    if options.script:
        application.router.add_get("/socket.io.min.js", lambda request: served(options.script))
    runner = aiohttp.web.AppRunner(application, access_log=None)
    await runner.setup()
    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
    site = aiohttp.web.TCPSite(runner, "127.0.0.1", options.port, ssl_context=context, reuse_address=True)
    await site.start()
    note("start")
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    print(json.dumps({"port": runner.addresses[0][1]}), flush=True)
    await over.wait()
    await site.stop()
    await server.shutdown()


async def served(path):
    return aiohttp.web.FileResponse(path)


asyncio.run(main())
