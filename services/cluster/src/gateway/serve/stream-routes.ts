import { type Clock, type Log, StatusError } from '@quartermaster/kernel';
import type { PodExec } from '@quartermaster/kube';
import type { SeenLeasePod } from '../../health/lease-health.ts';
import type { LeaseSight } from '../../known-leases/lease-sight.ts';
import { type CloseCode, closeCodes, StreamEnd, streamEndOf } from '../streams/close-codes.ts';
import { streamEvents } from '../streams/event-stream.ts';
import { type LogParts, logSource, namespaceOf, servicesIn, wantedServices } from '../streams/lease-logs.ts';
import { streamLogs } from '../streams/log-stream.ts';
import type { ShellJournal } from '../streams/shell-journal.ts';
import { streamShell } from '../streams/shell-stream.ts';
import type { StreamRights } from '../streams/stream-rights.ts';
import type { StreamedCluster } from '../streams/streamed-cluster.ts';
import type { TenantSocket } from '../streams/tenant-socket.ts';
import { covers, type Granted } from '../who/granted.ts';
import type { GatewayRoute, Talk, TenantRequest } from './gateway-route.ts';
import type { LeaseDoor } from './lease-door.ts';
import { eventWish, leaseNumbers, logWish, shellWish } from './query-values.ts';

export interface StreamRoutesOptions extends LogParts {
  readonly door: LeaseDoor;
  readonly cluster: StreamedCluster;
  readonly rights: StreamRights;
  readonly journal: ShellJournal;
  /** Throws where an owner opens too many shells. Any number, unless given. */
  readonly shellLimits?: { opens(owner: string): void } | undefined;
  readonly shellIdleMs: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug'>;
}

const lease = '/lease/{dseq}/{gseq}/{oseq}';

/** Logs, events and shells. */
export const streamRoutes = (options: StreamRoutesOptions): readonly GatewayRoute[] => [
  { kind: 'stream', method: 'GET', path: `${lease}/logs`, open: async (request) => openLogs(options, request) },
  { kind: 'stream', method: 'GET', path: `${lease}/kubeevents`, open: async (request) => openEvents(options, request) },
  { kind: 'stream', method: 'GET', path: `${lease}/shell`, open: async (request) => openShell(options, request) },
];

function openLogs(options: StreamRoutesOptions, { tenant, parts, query }: TenantRequest): Talk {
  const wish = logWish(query);
  const { door, clock, log } = options;
  const { sight, services } = door.open(tenant, leaseNumbers(parts), 'logs');
  const source = logSource(options, sight, wantedServices(sight, { scope: 'logs', granted: services }, wish.services));
  return (socket) =>
    whileAllowed(options, { tenant, lease: sight.name }, socket, (said) => {
      const send = async (line: { readonly name: string; readonly message: string }): Promise<void> => {
        said();
        await socket.send(JSON.stringify(line));
      };
      socket.receive(passOver);
      return streamLogs({ source, wish, send, clock, log }, socket.signal);
    });
}

function openEvents(options: StreamRoutesOptions, { tenant, parts, query }: TenantRequest): Talk {
  const wish = eventWish(query);
  const sight = options.door.openWhole(tenant, leaseNumbers(parts), 'events');
  const namespace = namespaceOf(sight);
  return (socket) =>
    whileAllowed(options, { tenant, lease: sight.name }, socket, (said) => {
      socket.receive(passOver);
      return streamEvents(
        options.cluster.events,
        { namespace, follow: wish.follow },
        async (event) => {
          said();
          await socket.send(JSON.stringify(event));
        },
        socket.signal,
      );
    });
}

function openShell(options: StreamRoutesOptions, { tenant, parts, query, peer }: TenantRequest): Talk {
  const wish = shellWish(query);
  const { door, caches, cluster, journal, shellLimits, shellIdleMs: idleMs } = options;
  const numbers = leaseNumbers(parts);
  const { sight, services } = door.open(tenant, numbers, 'shell');
  const service = wish.service === '' ? onlyService(sight, services) : namedService(sight, services, wish.service);
  const namespace = namespaceOf(sight);
  const pod = shellPod(caches.podsIn(namespace), service, wish.podIndex);
  shellLimits?.opens(tenant.owner);
  return (socket) =>
    whileAllowed(options, { tenant, lease: sight.name, idleMs }, socket, async (said) => {
      const entries: Awaited<ReturnType<ShellJournal['opened']>>[] = [];
      // What the tenant says meanwhile waits: it is read from the beginning.
      const open = async (signal: AbortSignal): Promise<PodExec> => {
        const shell = { lease: sight.lease, tenant, peer, pod: pod.name, service };
        entries.push(
          await journal.opened(shell).catch((thrown: unknown) => {
            throw streamEndOf(thrown);
          }),
        );
        const { command, tty, stdin } = wish;
        return await cluster.exec({ namespace, name: pod.name }, { container: service, command, tty, stdin, signal });
      };
      let outcome: string | number = '';
      try {
        outcome = await streamShell({ socket, open, wish, said });
      } catch (thrown) {
        outcome = endText(thrown);
        throw thrown;
      } finally {
        for (const entry of entries) entry.closed(outcome);
      }
    });
}

/** Ends whose words are ours. What the cluster says may repeat the command, and what broke the protocol may be what was typed. */
const toldEnds: readonly CloseCode[] = [closeCodes.done, closeCodes.restarting, closeCodes.rightEnded, closeCodes.limit];

/** Why a shell ended before its command did. */
function endText(thrown: unknown): string {
  if (thrown instanceof StreamEnd && toldEnds.includes(thrown.code)) return thrown.message;
  return thrown instanceof StreamEnd && thrown.code === closeCodes.malformed ? 'the tenant broke the protocol' : 'broken off';
}

/** Nothing is expected of the tenant, and what comes all the same must not keep its answers to pings from being read. */
const passOver = async (): Promise<void> => {};

type Following = Parameters<StreamRights['follow']>[0];

/** Lasts no longer than the right to it. */
async function whileAllowed(
  { rights }: Pick<StreamRoutesOptions, 'rights'>,
  stream: Following,
  socket: TenantSocket,
  run: (said: () => void) => Promise<void>,
): Promise<void> {
  const { said, stop } = rights.follow(stream, (why) => socket.close(why));
  try {
    await run(said);
  } catch (thrown) {
    // Whoever ended it has said why.
    if (!socket.signal.aborted) throw thrown;
  } finally {
    stop();
  }
}

function onlyService(sight: LeaseSight, granted: Granted): string {
  const names = servicesIn(sight).filter((name) => covers(granted, name));
  const [only, second] = names;
  if (only !== undefined && second === undefined) return only;
  if (only === undefined) throw new StatusError('permission_denied', 'the token is for no service that the lease has');
  throw new StatusError('invalid_argument', `service: is missing, and the lease has several: ${names.join(', ')}`);
}

function namedService(sight: LeaseSight, granted: Granted, service: string): string {
  const [found = ''] = wantedServices(sight, { scope: 'shell', granted }, [service]);
  return found;
}

/** The pods of a service by name, so that an index says the same one again. Only in the namespace of the lease, as it is followed: nobody is asked for a pod that a tenant names. */
function shellPod(pods: readonly SeenLeasePod[], service: string, index: number): SeenLeasePod {
  const replicas = pods.filter((pod) => pod.service === service && !pod.isDeleting).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const pod = replicas[index];
  if (pod === undefined)
    throw new StatusError(
      'invalid_argument',
      `podIndex: must be less than ${replicas.length}, the number of replicas that service ${service} has now`,
    );
  if (!pod.isReady) throw new StatusError('unavailable', `podIndex: replica ${index} of service ${service} is not ready yet: try again`);
  return pod;
}
