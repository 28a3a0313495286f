import type { DescMessage, DescMethodUnary, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { bearerOf, StatusError } from '@quartermaster/kernel';
import { type CallContext, type ClientTls, openRpcChannel, type RpcCallOptions, type RpcChannel } from '@quartermaster/rpc';

/** Who leads, as this replica last saw. */
export interface SeenLeader {
  /** Empty or undefined when nobody is known to lead. */
  readonly holder: string | undefined;
  /** `host:port`, as the leader says. */
  readonly address?: string | undefined;
}

export interface LeaderLineOptions {
  /** This one. */
  readonly replica: string;
  readonly leader: () => SeenLeader;
  /** How the leader proves that it is one of us; undefined when it cannot, and nothing is sent on. Asked for each call, so that it may change. */
  readonly tls: () => Promise<ClientTls | undefined>;
  readonly connect?: ((address: string, tls: ClientTls) => RpcChannel) | undefined;
}

/** On a call that was sent on: by whom. It is not sent on again, so that two replicas that take each other for the leader send nothing in circles. */
export const sentOnHeader = 'quartermaster-sent-on-by';

const retryAfterMs = 1_000;

interface Line {
  readonly key: string;
  readonly channel: RpcChannel;
  /** Service -> its methods. */
  readonly clients: Map<DescService, Client>;
  calls: number;
}

type Client = Readonly<Record<string, (request: unknown, options: RpcCallOptions) => Promise<unknown>>>;

/**
 * Has the leader do what only the leader does. The call goes on in the caller's own name: with its token, which the leader judges as if it had come there. What
 * the leader answers is answered, errors too.
 */
export class LeaderLine {
  readonly #options: LeaderLineOptions;
  /** To the leader; undefined until the first call, and once it was found to be elsewhere. */
  #line: Line | undefined;

  constructor(options: LeaderLineOptions) {
    this.#options = options;
  }

  async send<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    context: CallContext,
  ): Promise<MessageShape<O>> {
    const { replica } = this.#options;
    const { address, token } = this.#route(context);
    const line = await this.#lineTo(address);
    line.calls += 1;
    try {
      const headers = { authorization: `Bearer ${token}`, [sentOnHeader]: replica };
      const call = clientOf(line, method.parent)[method.localName];
      if (call === undefined) throw new StatusError('internal', `${method.parent.typeName} has no method ${method.name}`);
      // What a client of the service answers is of the method's type.
      return (await call(request, { headers, signal: context.signal })) as MessageShape<O>;
    } finally {
      line.calls -= 1;
      this.#retire(line);
    }
  }

  close(): void {
    this.#line?.channel.close();
    this.#line = undefined;
  }

  /** Where to, and in whose name. Throws `unavailable` when the call cannot be sent on. */
  #route(context: CallContext): { readonly address: string; readonly token: string } {
    const { replica, leader } = this.#options;
    const sentBy = context.header(sentOnHeader);
    if (sentBy !== undefined)
      throw unavailable(`${replica} does not lead, though ${sentBy} sent the call here: the leader is changing, try again`);
    const { holder = '', address } = leader();
    if (holder === '' || holder === replica) throw unavailable(`${replica} does not lead, and no leader is known now: try again`);
    if (address === undefined || address === '') {
      throw unavailable(
        `${replica} does not lead, and the leader ${holder} does not say where it is reached: set cluster-advertised-address, or call the leader itself`,
      );
    }
    const token = bearerOf(context.header('authorization'));
    if (token !== undefined) return { address, token };
    throw unavailable(
      `${replica} does not lead, and a call without a token cannot be sent on to ${holder}: call the leader itself at ${address}, or show a token instead of a certificate`,
    );
  }

  async #lineTo(address: string): Promise<Line> {
    const tls = await this.#options.tls();
    if (tls === undefined) {
      throw unavailable(
        `the leader is at ${address}, and nothing proves that it is one of ours: give all replicas certificates and cluster-peer-ca-file, or call the leader itself`,
      );
    }
    const key = JSON.stringify([address, tls]);
    if (this.#line?.key === key) return this.#line;
    const former = this.#line;
    const { connect = openLine } = this.#options;
    const channel = connect(address, tls);
    this.#line = { key, channel, clients: new Map(), calls: 0 };
    if (former !== undefined) this.#retire(former);
    return this.#line;
  }

  /** Ends a line that is no longer used, once the calls on it have ended. */
  #retire(line: Line): void {
    if (line !== this.#line && line.calls === 0) line.channel.close();
  }
}

function clientOf({ channel, clients }: Line, service: DescService): Client {
  const client = clients.get(service) ?? channel.client(service);
  clients.set(service, client);
  return client;
}

/** A read that fails is worth another try; this writes, and its caller tries again. */
const openLine = (address: string, tls: ClientTls): RpcChannel => openRpcChannel({ address, tls, tries: 1 });

export function unavailable(message: string): StatusError {
  return new StatusError('unavailable', message, { details: { retryAfterMs } });
}
