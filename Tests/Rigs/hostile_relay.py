#!/usr/bin/env python3
"""Relays that want to harm those who use them, and a caller who wants to harm a relay's users (REACH 6), for reach.py.

hostile_relay.py elsewhere PORT       sends whoever joins to 10.0.1.1:7000
hostile_relay.py between PORT         puts whoever calls through to itself, and ends TLS there
hostile_relay.py flood RELAY MAILBOX  asks for 1,000 sessions with a mailbox within 10 s; prints how many were granted
The first two print their id, then a line for each thing that happens."""
import os, socket, ssl, struct, sys, threading, time

sys.dont_write_bytecode = True
import probe

KEY = bytes(range(32))


def say(*words):
    print(*words, flush=True)


def tls(identity, protocols=()):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity.pem)
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context


def serve(port, talk):
    """Each connection has a thread; what goes wrong on it is a line."""
    def one(connection):
        try:
            talk(connection)
        except (OSError, EOFError, AssertionError) as problem:
            say('ended:', type(problem).__name__, problem)
        finally:
            connection.close()

    def all():
        with socket.create_server(('', port)) as server:
            while True:
                threading.Thread(target=one, args=(server.accept()[0],), daemon=True).start()
    threading.Thread(target=all, daemon=True).start()


def invitation(sender, address, port, is_server):
    return probe.message(probe.INVITATION, probe.opaque(sender) + probe.opaque(KEY) + probe.opaque(address)
                         + struct.pack('>II', port, is_server))


SUCCESS = probe.message(probe.RESPONSE, struct.pack('>I', 0) + probe.opaque(b'success'))


def relay(kind, port):
    identity, other = probe.Identity(os.urandom(32)), probe.Identity(os.urandom(32))

    def control(connection):
        stream = tls(identity, ['bep-relay']).wrap_socket(connection, server_side=True)
        what, payload = probe.read(stream)
        if what == probe.JOIN_RELAY:
            stream.sendall(SUCCESS)
            if kind == 'elsewhere':
                stream.sendall(invitation(os.urandom(32), socket.inet_aton('10.0.1.1'), 7000, 1))
                say('sent to 10.0.1.1')
        elif what == probe.CONNECT:
            stream.sendall(invitation(probe.fields(payload)[0], b'', port + 1, 0))
            say('called')
        while stream.recv(4096):
            pass

    def session(connection):
        what, _ = probe.read(connection)
        assert what == probe.JOIN_SESSION
        connection.sendall(SUCCESS)
        try:
            stream = tls(other).wrap_socket(connection, server_side=True)
            # Whoever does not know the key would say something now.
            heard = stream.recv(4096)
        except (OSError, ValueError):
            heard = b''
        say('heard' if heard else 'refused', len(heard))

    serve(port, control)
    serve(port + 1, session)
    say(probe.text_of(identity.id))
    while True:
        time.sleep(60)


def flood(place, mailbox):
    identity, granted = probe.Identity(os.urandom(32)), []

    def one(number):
        time.sleep(number / 100)
        try:
            with probe.control(place, identity) as stream:
                stream.sendall(probe.message(probe.CONNECT, probe.opaque(probe.raw_of(mailbox))))
                granted.append(probe.read(stream)[0] == probe.INVITATION)
        except (OSError, EOFError, AssertionError):
            granted.append(False)
    threads = [threading.Thread(target=one, args=(number,)) for number in range(1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    say(sum(granted))


if __name__ == '__main__':
    if sys.argv[1:2] == ['flood'] and len(sys.argv) == 4:
        flood(*sys.argv[2:])
    elif sys.argv[1:2] in (['elsewhere'], ['between']) and len(sys.argv) == 3:
        relay(sys.argv[1], int(sys.argv[2]))
    else:
        sys.exit(__doc__)
