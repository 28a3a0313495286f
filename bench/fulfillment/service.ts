/** The service and the plain design in one process, on one pool of connections, each on a port of its own; on request they are loaded here, at their handlers. */
import type { Message } from '@bufbuild/protobuf';
import { Events, Hosts } from '@quartermaster/api/private';
import { startTestFulfillment } from '@quartermaster/fulfillment/testing';
import { type CallContext, type ServedService, serve, startRpcServer } from '@quartermaster/rpc';
import { fill } from './fill.ts';
import type { Call } from './load.ts';
import { loadWork } from './load-work.ts';
import { PlainEvents } from './plain-events.ts';
import { PlainHosts } from './plain-hosts.ts';
import type { Design, HandlerAnswer, HandlerRequest, ServiceReady, Work } from './protocol.ts';
import { pathOf, Requests } from './requests.ts';
import { hostCount } from './sample-host.ts';

const bareStatement = { name: 'bare-get', text: 'select body from hosts where id = $1' };

const [databaseUrl = ''] = process.argv.slice(2);
const service = await startTestFulfillment({ databaseUrl });
const { database, fulfillment } = service;
const { authenticate } = fulfillment;
await fill(database, fulfillment.kinds);

const plainHosts = new PlainHosts(database);
const plainEvents = new PlainEvents(database);
const plain: readonly ServedService[] = [
  serve(Hosts, {
    list: (request) => plainHosts.list(request),
    get: (request) => plainHosts.get(request),
    create: (request) => plainHosts.create(request),
    update: (request) => plainHosts.update(request),
    delete: (request) => plainHosts.delete(request),
    signal: (request) => plainHosts.signal(request),
  }),
  serve(Events, { watch: (_, { signal }) => plainEvents.watch(signal) }),
];
const plainServer = await startRpcServer({ services: plain, authenticate });
const token = await service.token({ name: 'bench', role: 'admin' });

async function contextOf(method: string, callerToken: string): Promise<CallContext> {
  const { signal } = new AbortController();
  const peer = '127.0.0.1:1';
  const identity = await authenticate({ method, peer, token: callerToken, certificate: undefined }, signal);
  return { method, transport: 'grpc', identity, peer, header: () => undefined, signal };
}

function handlerOf(services: readonly ServedService[], work: Work): (request: Message, context: CallContext) => unknown {
  const method = services.flatMap(({ methods }) => methods).find(({ path }) => path === pathOf(work));
  if (method === undefined) throw new Error(`nobody serves ${pathOf(work)}`);
  return (request, context) => method.call(request, context);
}

// Machines that the other process, which creates some over gRPC, does not come to.
const requests = new Requests(80 * hostCount);

async function callOf(design: Design, work: Work): Promise<Call> {
  if (design === 'bare') return () => database.query(bareStatement, [requests.hostId()]);
  const context = await contextOf(pathOf(work), token);
  const handle = handlerOf(design === 'plain' ? plain : fulfillment.services, work);
  return async () => await handle(requests.next(work), context);
}

process.on('disconnect', () => process.exit(0));
process.on('message', (request: HandlerRequest) => {
  const { design, work } = request;
  void loadWork(work, (each) => callOf(design, each), request).then((answer) => process.send?.(answer satisfies HandlerAnswer));
});
process.send?.({ addresses: { ours: service.grpcAddress, plain: plainServer.address }, token } satisfies ServiceReady);
