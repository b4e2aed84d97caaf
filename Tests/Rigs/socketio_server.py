#!/usr/bin/env python3
"""A Socket.IO server for tests, for python-socketio 5 (Engine.IO 4) and python-socketio 4 (Engine.IO 3).

Usage: socketio_server.py [--port N] [--certificate FILE --key FILE] [--interval S] [--timeout S] [--no-upgrades]
Prints "port N" once it listens, then a line of JSON for whatever clients do. The events of the founding document's room:
chatMessage and customEvent go to everybody, binaryEvent comes back with its bytes, and each of them is acknowledged.

Further events, for what a room does not need: `echo` acknowledges its arguments, `silent` acknowledges nothing, `ask`
emits `question` and reports the answer as `answered`, `kick` ends the connection, `leave` ends the namespace.
Namespaces: `/`, `/chat`, `/admin` (the token "sesame"), `/slow` (says hello before it accepts).
"""

import argparse
import asyncio
import importlib.metadata
import json
import ssl
import urllib.parse

import aiohttp.web
import socketio

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--certificate")
parser.add_argument("--key")
parser.add_argument("--interval", type=float, default=25)
# Servers of Engine.IO 3 answer a poll with an error when nothing has come for this long: it is to be above the interval.
parser.add_argument("--timeout", type=float, default=60)
parser.add_argument("--no-upgrades", action="store_true")
parser.add_argument("--path", default="socket.io")
options = parser.parse_args()

REVISION = 3 if importlib.metadata.version("python-socketio").startswith("4.") else 4
if REVISION == 3:
    # python-socketio 4 gives asyncio.wait coroutines, which Python 3.11 refuses.
    wait = asyncio.wait
    asyncio.wait = lambda work, **more: wait([asyncio.ensure_future(each) for each in work], **more)
server = socketio.AsyncServer(
    async_mode="aiohttp", cors_allowed_origins="*", cookie="io", ping_interval=options.interval,
    ping_timeout=options.timeout, allow_upgrades=not options.no_upgrades, max_http_buffer_size=4_000_000)


def report(what, **fields):
    print(json.dumps({"what": what, **fields}), flush=True)


def without_bytes(value):
    """The same with the size of bytes in their place, for the report."""
    if isinstance(value, bytes):
        return {"bytes": len(value)}
    if isinstance(value, (list, tuple)):
        return [without_bytes(element) for element in value]
    if isinstance(value, dict):
        return {name: without_bytes(element) for name, element in value.items()}
    return value


def query(environ):
    return dict(urllib.parse.parse_qsl(environ.get("QUERY_STRING", "")))


class Room(socketio.AsyncNamespace):
    """What every namespace does."""

    async def on_connect(self, sid, environ, auth=None):
        report("connect", namespace=self.namespace, auth=auth, token=query(environ).get("token"),
               cookie=environ.get("HTTP_COOKIE"), header=environ.get("HTTP_X_TEST"))
        if self.namespace == "/slow":
            await self.emit("early", "hello", room=sid)
        if REVISION == 3:
            # Protocol 4 has no place for a token but the query; the server drops that of a namespace.
            auth = query(environ)
        if self.namespace == "/admin" and (auth or {}).get("token") != "sesame":
            raise socketio.exceptions.ConnectionRefusedError("Not authorized")

    async def on_disconnect(self, sid, reason=None):
        report("disconnect", namespace=self.namespace)

    async def on_chatMessage(self, sid, *data):
        report("chatMessage", data=without_bytes(data))
        await self.emit("chatMessage", data)
        return "ok"

    async def on_customEvent(self, sid, *data):
        await self.emit("customEvent", data)
        return "ok"

    async def on_binaryEvent(self, sid, data):
        report("binaryEvent", data=without_bytes(data))
        await self.emit("binaryEvent", data)
        return data

    async def on_echo(self, sid, *data):
        report("echo", data=without_bytes(data))
        return data

    async def on_silent(self, sid, *data):
        # A handler that never ends acknowledges nothing.
        await asyncio.sleep(3600)

    async def on_ask(self, sid, *data):
        async def answered(*answer):
            await self.emit("answered", answer, room=sid)
        await self.emit("question", data, room=sid, callback=answered)

    async def on_kick(self, sid):
        await server.eio.disconnect(sid if REVISION == 3 else server.manager.eio_sid_from_sid(sid, self.namespace))

    async def on_leave(self, sid):
        await self.disconnect(sid)


for name in ("/", "/chat", "/admin", "/slow"):
    server.register_namespace(Room(name))


@aiohttp.web.middleware
async def watch(request, handler):
    if request.query.get("transport") == "websocket":
        report("websocket", cookie=request.headers.get("Cookie"), header=request.headers.get("X-Test"))
    return await handler(request)


async def main():
    application = aiohttp.web.Application(client_max_size=8_000_000, middlewares=[watch])
    server.attach(application, socketio_path=options.path)

    async def nothing(request):
        return aiohttp.web.Response(text="<html>nothing here</html>", content_type="text/html")

    application.router.add_get("/", nothing)
    runner = aiohttp.web.AppRunner(application, access_log=None)
    await runner.setup()
    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
    site = aiohttp.web.TCPSite(runner, "127.0.0.1", options.port, ssl_context=context, reuse_address=True)
    await site.start()
    print("port", runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
