"""A service on gRPC and asyncio that plans tours of couriers, and a client that asks it for a while."""

import argparse
import asyncio
import json
import random

import grpc
import numpy as np


class Planner(grpc.GenericRpcHandler):
    """Two calls: the length of a tour, and its stops one by one."""

    def __init__(self, keep: int | None) -> None:
        self.keep = keep
        self.distances: dict[str, np.ndarray] = {}

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        if details.method == "/courier.Planner/Plan":
            return grpc.unary_unary_rpc_method_handler(self.plan)
        if details.method == "/courier.Planner/Stops":
            return grpc.unary_stream_rpc_method_handler(self.stops)
        return None

    async def plan(self, request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        """Goes to the nearest stop that is left; the distances may be asked for again."""
        asked = json.loads(request)
        places = np.random.default_rng(asked["tour"]).uniform(0, 10, (100, 2))
        between = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
        self.distances[asked["tour"]] = between
        if self.keep is not None and len(self.distances) > self.keep:
            self.distances.pop(next(iter(self.distances)))
        left, here, length = set(range(1, len(places))), 0, 0.0
        while left:
            near = min(left, key=between[here].__getitem__)
            length += float(between[here, near])
            left.remove(near)
            here = near
        return json.dumps({"tour": asked["tour"], "length": round(length, 3)}).encode()

    async def stops(self, request: bytes, context: grpc.aio.ServicerContext):
        """The stops of a tour, a message each."""
        tour = json.loads(request)["tour"]
        for place in np.random.default_rng(tour).uniform(0, 10, (20, 2)):
            yield json.dumps(place.round(2).tolist()).encode()


async def ask(port: int, requests: int) -> int:
    """Asks for plans and stops, as they come; a line for each 20 plans. Gives the number of plans."""
    dice = random.Random(7)
    plans = 0
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        plan = channel.unary_unary("/courier.Planner/Plan")
        stops = channel.unary_stream("/courier.Planner/Stops")
        for tour in range(requests):
            asked = json.dumps({"tour": tour}).encode()
            if dice.random() < 0.5:
                answer = json.loads(await plan(asked))
                plans += 1
                if plans % 20 == 0:
                    print(f"{plans} plans, the last {answer['length']:.2f}", flush=True)
            else:
                _ = [stop async for stop in stops(asked)]
            await asyncio.sleep(dice.uniform(0, 0.02))
    return plans


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=1200)
    parser.add_argument("--fixed", action="store_true", help="keeps the distances of 16 tours")
    args = parser.parse_args()

    planner = Planner(keep=16 if args.fixed else None)
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((planner,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    plans = await ask(port, args.requests)
    await server.stop(grace=1)
    print(f"{plans} plans, {len(planner.distances)} kept")


asyncio.run(main())
