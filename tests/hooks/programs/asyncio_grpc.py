"""A gRPC server on asyncio, whose calls are known exactly; client and server print all that they get."""

import asyncio
import logging
import sys
from concurrent import futures

import grpc


class Handlers(grpc.GenericRpcHandler):
    """Of the four kinds, by the path of a call; some end badly."""

    def service(self, details):
        _, kind, name = details.method.split("/")
        make = getattr(grpc, f"{kind}_rpc_method_handler", None)
        return None if make is None else make(getattr(self, name))

    async def same(self, request, context):
        context.set_trailing_metadata((("seen", "1"),))
        return request

    def of_a_thread(self, request, context):
        return request * 2

    async def joined(self, requests, context):
        return b"".join([request async for request in requests])

    async def three(self, request, context):
        for part in (b"1", b"2", b"3"):
            yield part

    async def written(self, request, context):
        await context.write(request)

    async def echo(self, requests, context):
        async for request in requests:
            yield request

    async def bad(self, request, context):
        raise ValueError("bad")

    async def bad_later(self, request, context):
        yield b"1"
        raise ValueError("bad later")

    async def aborts(self, request, context):
        await context.abort(grpc.StatusCode.NOT_FOUND, "no such thing")

    async def waits(self, request, context):
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            print("cancelled", flush=True)
            raise

    async def waits_later(self, request, context):
        yield b"1"
        await self.waits(request, context)


async def show(call, leave=False):
    """All that a client gets of a call, which it may leave before its end."""
    answers = []
    if leave:
        asyncio.get_running_loop().call_later(0.5, call.cancel)
    try:
        if hasattr(call, "__aiter__"):
            async for answer in call:
                answers.append(answer)
        else:
            answers.append(await call)
    except (grpc.RpcError, asyncio.CancelledError) as error:
        print(type(error).__name__)
    print(answers, await call.code(), await call.details(), await call.trailing_metadata(), flush=True)
    await asyncio.sleep(0.5 if leave else 0)  # the server learns of it a little later


async def ask_all(channel):
    one, many = channel.unary_unary, channel.unary_stream
    for _ in range(2):
        await show(one("/unary_unary/same")(b"x"))
        await show(channel.stream_unary("/stream_unary/joined")(iter([b"a", b"b"])))
        await show(many("/unary_stream/three")(b"x"))
        await show(channel.stream_stream("/stream_stream/echo")(iter([b"a", b"b"])))
    for name in ("of_a_thread", "bad", "aborts"):
        await show(one(f"/unary_unary/{name}")(b"x"))
    for name in ("written", "bad_later"):
        await show(many(f"/unary_stream/{name}")(b"x"))
    await show(one("/unary_unary/waits")(b"x"), leave=True)
    await show(many("/unary_stream/waits_later")(b"x"), leave=True)
    await show(one("/nothing/here")(b"x"))


async def main():
    server = grpc.aio.server(migration_thread_pool=futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((Handlers(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        await ask_all(channel)
    await server.stop(1)


logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s")
asyncio.run(main())
