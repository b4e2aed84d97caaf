#!/usr/bin/env python3
"""A client of python-socketio 5 in a chat room, as somebody else would write one.

Usage: room_client.py URL [--ca FILE]
Reads commands from standard input, each a line of JSON: {"say": TEXT, "as": NAME, "id": ID}, {"file": PATH, "as": NAME},
{"ackTest": COUNT}. Prints a line of JSON for whatever it hears, and "done" once a command is acknowledged. Ends at the
end of the input.
"""

import argparse
import asyncio
import hashlib
import json
import pathlib
import ssl
import sys
import time

import aiohttp
import socketio

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("--ca")
options = parser.parse_args()


def tell(**fields):
    print(json.dumps(fields), flush=True)


def head(command):
    more = {"id": command["id"]} if "id" in command else {}
    return {"sender": command.get("as", "python"), "timestamp": int(time.time() * 1000), **more}


async def main():
    session = None
    if options.ca:
        context = ssl.create_default_context(cafile=options.ca)
        session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=context))
    client = socketio.AsyncClient(http_session=session, reconnection_delay=0.1, reconnection_delay_max=0.2)

    @client.event
    async def connect():
        tell(event="connect")

    @client.event
    async def chatMessage(line):
        tell(event="chatMessage", line=line)
        return "heard"

    @client.event
    async def binaryEvent(data):
        tell(event="binaryEvent", sha256=hashlib.sha256(data["binaryData"]).hexdigest(), name=data.get("name"),
             caption=data.get("text"), sender=data.get("sender"))
        return "heard"

    @client.event
    async def users(names):
        tell(event="users", names=names)

    await client.connect(options.url, retry=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        command = json.loads(line)
        if "say" in command:
            answer = await client.call("chatMessage", {"message": command["say"], **head(command)}, timeout=30)
        elif "file" in command:
            path = pathlib.Path(command["file"])
            data = {"binaryData": path.read_bytes(), "text": path.name, "name": path.name, **head(command)}
            answer = await client.call("binaryEvent", data, timeout=30)
        else:
            answer = await client.call("ackTest", command["ackTest"], timeout=60)
        tell(event="done", answer=answer)
    await client.disconnect()
    if session:
        await session.close()


asyncio.run(main())
