import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Cluster, ClusterRPC, type ClusterSchema } from '@quartermaster/api/akash-inventory';
import {
  type Generation,
  InventoryService,
  type Node,
  NodeSchema,
  Sellability,
  type SnapshotSchema,
  type WatchInventoryRequest,
  type WatchInventoryResponseSchema,
} from '@quartermaster/api/inventory';
import { StatusError, systemRandom } from '@quartermaster/kernel';
import { type CallContext, type RpcServer, type ServedService, serve, startRpcServer } from '@quartermaster/rpc';
import { freePorts } from '../kube/free-ports.ts';

type Answer = MessageInitShape<typeof WatchInventoryResponseSchema>;
type AkashCluster = Exclude<MessageInitShape<typeof ClusterSchema>, Cluster>;

/** Sends what a test puts in, until it is cut. */
class Stream<T> {
  readonly #waiting: (T | StatusError)[] = [];
  #wake: () => void = () => {};

  put(each: T | StatusError): void {
    this.#waiting.push(each);
    this.#wake();
  }

  async *read({ signal }: CallContext): AsyncGenerator<T> {
    signal.addEventListener('abort', () => this.put(new StatusError('unavailable', 'the caller is gone')), { once: true });
    for (;;) {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        if (next instanceof StatusError) throw next;
        yield next;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A gRPC server of an inventory that says exactly what the test has it say. */
export class ScriptedInventory {
  /** What streams began with, the oldest first. */
  readonly asked: (Generation | undefined | 'akash')[] = [];
  /** For those who ask once. */
  snapshot: Exclude<MessageInitShape<typeof SnapshotSchema>, { readonly $typeName: string }> = {};
  cluster: AkashCluster = {};
  polls = 0;
  #stream = new Stream<Answer>();
  #clusters = new Stream<AkashCluster>();
  #server: RpcServer | undefined;
  #port = 0;

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async start(speaks: 'deltas' | 'akash'): Promise<void> {
    const services = speaks === 'deltas' ? [this.#deltas()] : [this.#akash()];
    // It comes back at the address that it had, which no outgoing connection may have been given meanwhile.
    if (this.#port === 0) [this.#port = 0] = await freePorts(1, systemRandom);
    this.#server = await startRpcServer({ services, port: this.#port });
  }

  async stop(): Promise<void> {
    this.cut();
    await this.#server?.stop(0);
  }

  send(event: Exclude<Answer['event'], undefined>): void {
    this.#stream.put({ event });
  }

  sendCluster(cluster: AkashCluster): void {
    this.cluster = cluster;
    this.#clusters.put(cluster);
  }

  /** Ends what is open. */
  cut(): void {
    const [stream, clusters] = [this.#stream, this.#clusters];
    this.#stream = new Stream();
    this.#clusters = new Stream();
    for (const each of [stream, clusters]) each.put(new StatusError('unavailable', 'cut'));
  }

  #deltas(): ServedService {
    const never = (): never => {
      throw new StatusError('internal', 'not part of this test');
    };
    return serve(InventoryService, {
      watchInventory: ({ resumeFrom }: WatchInventoryRequest, context) => {
        this.asked.push(resumeFrom);
        return this.#stream.read(context);
      },
      getStatus: () => {
        this.polls += 1;
        return this.snapshot.generation === undefined ? {} : { generation: this.snapshot.generation };
      },
      getSnapshot: () => {
        this.polls += 1;
        return { snapshot: this.snapshot };
      },
      listAllocations: never,
      explain: never,
    });
  }

  #akash(): ServedService {
    return serve(ClusterRPC, {
      streamCluster: (_request, context) => {
        this.asked.push('akash');
        return this.#clusters.read(context);
      },
      queryCluster: () => {
        this.polls += 1;
        return this.cluster;
      },
    });
  }
}

/** A node with 16 cores, of which so many millicores are taken. */
export function scriptedNode(name: string, takenMillis = 0): Node {
  const amount = (all: bigint, taken: bigint) => ({ capacity: all, allocatable: all, allocated: taken, available: all - taken });
  return create(NodeSchema, {
    name,
    uid: `uid-${name}`,
    sellability: Sellability.SELLABLE,
    cpu: amount(16_000n, BigInt(takenMillis)),
    memory: amount(2n ** 36n, 0n),
    ephemeralStorage: amount(2n ** 37n, 0n),
  });
}
