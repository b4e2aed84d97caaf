#!/usr/bin/env python3
"""python-socketio for the benchmark of rooms. Each role prints its port or what it was asked for, and ends with its input.

rooms.py server             `echo` acknowledges what it gets; `flood` emits so many events `line`; every namespace is there
rooms.py relay PORT         passes connections on to PORT; each line of input is answered with the bytes passed on so far
rooms.py member PORT TRANSPORT
                            the client beside ours, by the same commands: see RoomPart.swift
"""

import asyncio
import sys
import time

import aiohttp.web
import socketio


async def lines():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield line.decode().split()


def say(*words):
    print(*words, flush=True)


async def serve():
    server = socketio.AsyncServer(async_mode="aiohttp", namespaces="*")

    @server.on("echo", namespace="*")
    async def echo(namespace, sid, data):
        return data

    @server.on("flood", namespace="*")
    async def flood(namespace, sid, count, data):
        for _ in range(count):
            await server.emit("line", data, room=sid, namespace=namespace)

    application = aiohttp.web.Application()
    server.attach(application)
    runner = aiohttp.web.AppRunner(application, access_log=None)
    await runner.setup()
    await aiohttp.web.TCPSite(runner, "127.0.0.1", 0).start()
    say(runner.addresses[0][1])
    async for _ in lines():
        pass


async def relay(port):
    count = 0

    async def copy(reader, writer):
        nonlocal count
        while part := await reader.read(65536):
            count += len(part)
            writer.write(part)
            await writer.drain()
        writer.close()

    async def passed_on(reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(copy(reader, back), copy(there, writer), return_exceptions=True)

    server = await asyncio.start_server(passed_on, "127.0.0.1", 0)
    say(server.sockets[0].getsockname()[1])
    async for _ in lines():
        say(count)


async def member(port, transport):
    clients = []
    heard = asyncio.Queue()

    async def join(namespace):
        client = socketio.AsyncClient()
        client.on("line", heard.put, namespace=namespace)
        await client.connect(f"http://127.0.0.1:{port}", transports=[transport], namespaces=[namespace])
        clients.append(client)

    await join("/")
    first = clients[0]
    say("ready")
    async for words in lines():
        command, *numbers = words[0], *map(int, words[1:])
        data = {"message": "x" * 32, "sender": "member", "timestamp": 1795000000000}
        begin = time.monotonic_ns()
        if command == "echo":
            count, depth = numbers

            async def ask():
                for _ in range(count // depth):
                    await first.call("echo", data)

            await asyncio.gather(*(ask() for _ in range(depth)))
        elif command == "flood":
            await first.emit("flood", (numbers[0], data))
            for _ in range(numbers[0]):
                await heard.get()
        elif command == "join":
            for number in range(numbers[0]):
                await join(f"/room-{len(clients)}")
        say(time.monotonic_ns() - begin)
    for client in clients:
        await client.disconnect()


role, *arguments = sys.argv[1:]
asyncio.run({"server": serve, "relay": relay, "member": member}[role](*arguments))
