import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const rightsOf = {
  tenant: ['Leases/List', 'Leases/Get', 'Leases/CreateToken', 'Deployments/List'],
  admin: ['Leases/List', 'Leases/Get', 'Deployments/List'],
} as const;

/** A market that knows one lease of acme, tells whose a token is, and signs tokens for the tenant. */
export class ScriptedMarket {
  /** token -> who; those of acme may open the lease */
  readonly callers = new Map([
    ['of-alice', { name: 'alice', role: 'tenant', tenants: ['acme'] }],
    ['of-otto', { name: 'otto', role: 'tenant', tenants: ['other'] }],
    ['of-admin', { name: 'admin', role: 'admin', tenants: ['*'] }],
  ]);
  readonly leaseId = '7-1-1-p1';
  /** What tokens were asked for. */
  readonly asked: { readonly authorization: string | undefined; readonly body: unknown }[] = [];
  gateway: { uri: string; grpc_address: string; certificate_authority: string } | undefined;
  state = 'LEASE_STATE_ACTIVE';
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url === '/readyz') return send(200, {});
    const caller = this.callers.get(headers.authorization?.replace('Bearer ', '') ?? '');
    if (caller === undefined) return send(401, { code: 'unauthenticated', message: 'the token is nobody’s' });
    if (url === '/api/quartermaster/v1/session') {
      const rights = rightsOf[caller.role === 'admin' ? 'admin' : 'tenant'].map((right) => `/quartermaster.market.v1.${right}`);
      return send(200, { ...caller, rights });
    }
    const lease = `/api/market/v1/leases/${this.leaseId}`;
    const isOwn = caller.tenants.some((tenant) => tenant === 'acme' || tenant === '*');
    if (!isOwn || ![lease, `${lease}:token`].includes(url)) return send(404, { code: 'not_found', message: 'there is no such lease' });
    if (method === 'GET') return send(200, this.#lease());
    const body = await json(request);
    this.asked.push({ authorization: headers.authorization, body });
    if (caller.role !== 'tenant') return send(403, { code: 'permission_denied', message: 'only the tenant may' });
    if (this.state !== 'LEASE_STATE_ACTIVE') return send(412, { code: 'failed_precondition', message: 'the lease is closed' });
    send(200, { token: 'signed-by-the-market', expires_at: '2030-01-01T00:00:00Z', gateway: this.gateway });
  }

  #lease(): object {
    const service = { health: '', count: 2, available: 2, uris: ['web.acme.example'], problems: [] };
    return {
      id: this.leaseId,
      metadata: {
        creation_timestamp: new Date(Date.now() - 3_600_000).toISOString(),
        name: '',
        tenants: ['acme'],
        creators: ['alice'],
        version: '1',
      },
      spec: {
        order: { owner: 'acme', dseq: '7', gseq: 1, oseq: 1 },
        provider: 'p1',
        price: { denom: 'uakt', amount: '80' },
        group_name: 'dc',
      },
      status: {
        ...{ state: this.state, closed_reason: this.state === 'LEASE_STATE_ACTIVE' ? '' : 'closed by its tenant' },
        delivery: {
          ...{
            state: 'Active',
            reason: 'Running',
            message: 'All replicas run.',
            health: 'healthy',
            manifest_hash: 'ab'.repeat(32),
            refusal: '',
          },
          reported_at: new Date(Date.now() - 20_000).toISOString(),
          services: [
            { ...service, name: 'web' },
            { ...service, name: 'db', count: 1, available: 1, uris: [] },
          ],
          gateway: this.gateway,
        },
      },
    };
  }
}
