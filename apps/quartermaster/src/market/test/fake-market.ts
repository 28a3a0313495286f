import { Deployments, LeaseState, Leases, type LeasesCreateTokenRequest, Sdl } from '@quartermaster/api/market';
import { StatusError } from '@quartermaster/kernel';
import { type RpcServer, serve, startRpcServer } from '@quartermaster/rpc';
import type { FakeGateway } from '../../gateway/test/fake-gateway.ts';

interface FakeLease {
  readonly id: string;
  readonly services?: readonly string[];
  /** Default active, with the gateway. */
  readonly state?: 'active' | 'closed' | 'without gateway' | 'unreported';
}

const owner = 'acme';

/** A market with leases of one tenant, whose providers all serve the same gateway. Of what it is asked, it answers what a test needs. */
export class FakeMarket {
  readonly signed: LeasesCreateTokenRequest[] = [];
  leases: readonly FakeLease[] = [{ id: '7-1-1-p1' }];
  /** Instead of a token. */
  refusal: StatusError | undefined;
  readonly #gateway: FakeGateway;
  #server: RpcServer | undefined;

  private constructor(gateway: FakeGateway) {
    this.#gateway = gateway;
  }

  static async start(gateway: FakeGateway): Promise<FakeMarket> {
    const market = new FakeMarket(gateway);
    market.#server = await startRpcServer({ services: [market.#leases(), market.#deployments(), market.#sdl()] });
    return market;
  }

  get address(): string {
    return this.#server?.address ?? '';
  }

  async stop(): Promise<void> {
    await this.#server?.stop(0);
  }

  #leases() {
    return serve(Leases, {
      list: ({ filter = '' }) => {
        const items = this.leases
          .map((lease) => this.#message(lease))
          .filter(({ id, dseq }) => named(filter, id) || named(filter, `${dseq}-`));
        return { items, size: items.length, total: items.length };
      },
      get: unasked,
      close: unasked,
      createToken: (request) => {
        if (this.refusal !== undefined) throw this.refusal;
        this.signed.push(request);
        const lease = this.leases.find(({ id }) => id === request.id);
        return { token: `token-${this.signed.length}`, ...(lease?.state === 'without gateway' ? {} : { gateway: this.#address() }) };
      },
    });
  }

  #deployments() {
    return serve(Deployments, {
      list: ({ filter = '' }) => ({ items: named(filter, '7') ? [{ id: '7', status: { owner } }] : [] }),
      ...{ get: unasked, create: unasked, update: unasked, close: unasked, preview: unasked },
    });
  }

  #sdl() {
    return serve(Sdl, {
      check: ({ sdl }) =>
        sdl === 'good'
          ? { manifest: '[{"name":"anywhere"}]' }
          : { faults: [{ path: '/services', line: 2, column: 3, message: 'no', code: 'Bad' }] },
    });
  }

  #address() {
    return { uri: this.#gateway.uri, certificateAuthority: this.#gateway.ca };
  }

  #message({ id, services = ['web'], state = 'active' }: FakeLease) {
    const [dseq = '', gseq, oseq, provider = ''] = id.split('-');
    const reported = services.map((name) => ({ name, count: 2, available: 1, uris: ['hello.example.org'] }));
    const gateway = state === 'without gateway' ? {} : { gateway: this.#address() };
    return {
      id,
      dseq,
      spec: { order: { owner, dseq: BigInt(dseq), gseq: Number(gseq), oseq: Number(oseq) }, provider },
      status: {
        state: state === 'closed' ? LeaseState.CLOSED : LeaseState.ACTIVE,
        ...(state === 'unreported' ? {} : { delivery: { state: 'Active', health: 'healthy', services: reported, ...gateway } }),
      },
    };
  }
}

const named = (filter: string, id: string): boolean => filter.includes(JSON.stringify(id));

function unasked(): never {
  throw new StatusError('internal', 'a test asked what it should not');
}
