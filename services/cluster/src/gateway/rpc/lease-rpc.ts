import type { MessageInitShape } from '@bufbuild/protobuf';
import { LeaseRPC, type ServiceLogsResponseSchema } from '@quartermaster/api/akash-provider';
import { groupsOfMessages } from '@quartermaster/api/lease-manifest';
import { type Clock, type Log, pause, StatusError } from '@quartermaster/kernel';
import { type CallContext, type ServedService, StreamLimits, serve } from '@quartermaster/rpc';
import type { LeaseSight } from '../../known-leases/lease-sight.ts';
import type { TenantActions } from '../serve/leader-actions.ts';
import type { LeaseDoor } from '../serve/lease-door.ts';
import { type LeaseNumbers, leaseNumbers } from '../serve/query-values.ts';
import { submitManifest } from '../serve/submit-manifest.ts';
import { StreamEnd, statusErrorOf } from '../streams/close-codes.ts';
import { type LogParts, logSource, wantedServices } from '../streams/lease-logs.ts';
import { streamLogs } from '../streams/log-stream.ts';
import type { StreamRights } from '../streams/stream-rights.ts';
import { covers, type Granted } from '../who/granted.ts';
import type { Tenant } from '../who/tenant.ts';
import type { Scope } from '../who/token-claims.ts';
import { serviceStatusMessage } from '../wire/lease-status-body.ts';
import { pullThrough } from './pull-through.ts';
import { tenantIn } from './tenant-identity.ts';

export interface LeaseRpcOptions extends LogParts {
  readonly door: Pick<LeaseDoor, 'open' | 'ofDeployment'>;
  readonly rights: Pick<StreamRights, 'follow'>;
  readonly actions: Pick<TenantActions, 'submitManifest'>;
  readonly publicHost: string;
  readonly slowReaderMs: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug'>;
}

interface AboutLease {
  readonly leaseId?: { readonly owner: string; readonly dseq: bigint; readonly gseq: number; readonly oseq: number } | undefined;
  readonly services: readonly string[];
}

type Logs = MessageInitShape<typeof ServiceLogsResponseSchema>;

const lookEveryMs = 2_000;
/** Of an answer that is no stream. */
const mostLines = 1_000;
const mostBytes = 2 * 1024 * 1024;
/** Such answers of one tenant at a time: each is held until it is complete. */
const mostReads = 4;

/** akash.provider.lease.v1: what REST and WebSocket have, for clients that speak gRPC. */
export function leaseRpc(options: LeaseRpcOptions): ServedService {
  const { door, actions, publicHost, clock } = options;
  const reads = new StreamLimits({ most: mostReads });
  const seen = (request: AboutLease, context: CallContext) => {
    const { sight, services } = door.open(tenantIn(context.identity), numbersOf(request, context), 'status');
    const refused = request.services.find((service) => !covers(services, service));
    if (refused !== undefined)
      throw new StatusError('permission_denied', `the token is not for status of service ${refused}: sign one that is`);
    return serviceStatusMessage(sight, request.services.length > 0 ? new Set(request.services) : servicesOf(sight, services), publicHost);
  };
  return serve(LeaseRPC, {
    sendManifest: async (request, context) => {
      const tenant = tenantIn(context.identity);
      const numbers = numbersOf({ ...request, services: [] }, context);
      const leases = door
        .ofDeployment(tenant, numbers.dseq, 'send-manifest')
        .filter(({ lease }) => lease.gseq === numbers.gseq && lease.oseq === numbers.oseq);
      if (leases.length === 0) throw new StatusError('not_found', 'lease_id: there is no such open lease that the token is for');
      await submitManifest(actions, leases, { json: groupsOfMessages(request.manifest), confirmed: [] }, context.signal);
      return {};
    },
    serviceStatus: (request, context) => seen(request, context),
    streamServiceStatus: (request, context) =>
      whileAllowed(options, { request, scope: 'status' }, context, async function* (_sight, signal) {
        for (let before = ''; !signal.aborted; ) {
          const status = seen(request, context);
          const text = JSON.stringify(status);
          if (text !== before) yield status;
          before = text;
          await pause(clock, lookEveryMs, signal);
        }
        signal.throwIfAborted();
      }),
    serviceLogs: async (request, context) => {
      const ended = reads.opened(context.identity, context.peer);
      try {
        return await wholeLogs(options, request, context);
      } finally {
        ended();
      }
    },
    streamServiceLogs: (request, context) =>
      whileAllowed(options, { request, scope: 'logs' }, context, (_sight, signal) => {
        const { sight, wanted } = logsOf(options, request, context);
        const { log, slowReaderMs } = options;
        return pullThrough<Logs>(
          { clock, slowReaderMs },
          (send, either) =>
            streamLogs(
              {
                ...{ source: logSource(options, sight, wanted), clock, log },
                wish: { services: [], follow: true },
                send: ({ name, message }) => send({ services: [{ name, logs: Buffer.from(`${message}\n`) }] }),
              },
              either,
            ),
          signal,
        );
      }),
  });
}

async function wholeLogs(options: LeaseRpcOptions, request: AboutLease, context: CallContext): Promise<Logs> {
  const { sight, wanted } = logsOf(options, request, context);
  const { clock, log } = options;
  const logs = new Map<string, string[]>(); // pod -> its lines
  let left = mostBytes;
  await streamLogs(
    {
      ...{ source: logSource(options, sight, wanted), clock, log },
      wish: { services: [], follow: false, tail: mostLines },
      send: async ({ name, message }) => {
        left -= Buffer.byteLength(message) + 1;
        if (left < 0) throw new StatusError('resource_exhausted', 'services: the logs are too long for one answer: stream them');
        logs.set(name, [...(logs.get(name) ?? []), message]);
      },
    },
    context.signal,
  );
  return { services: [...logs].map(([name, lines]) => ({ name, logs: Buffer.from(`${lines.join('\n')}\n`) })) };
}

/** Of those that a token is for, the ones that are there. */
const servicesOf = ({ manifest }: LeaseSight, allowed: Granted): Granted =>
  allowed === 'all' ? allowed : new Set((manifest?.group.services ?? []).map(({ name }) => name).filter((name) => allowed.has(name)));

function logsOf({ door }: LeaseRpcOptions, request: AboutLease, context: CallContext) {
  const { sight, services } = door.open(tenantIn(context.identity), numbersOf(request, context), 'logs');
  return { sight, wanted: wantedServices(sight, { scope: 'logs', granted: services }, request.services) };
}

/** Lasts no longer than the right to it. */
async function* whileAllowed<T>(
  { door, rights }: LeaseRpcOptions,
  { request, scope }: { readonly request: AboutLease; readonly scope: Scope },
  context: CallContext,
  run: (sight: LeaseSight, signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const tenant = tenantIn(context.identity);
  const { sight } = door.open(tenant, numbersOf(request, context), scope);
  const ending = new AbortController();
  const { said, stop } = rights.follow({ tenant, lease: sight.name }, (why) => ending.abort(why));
  try {
    for await (const value of run(sight, AbortSignal.any([context.signal, ending.signal]))) {
      said();
      yield value;
    }
  } catch (thrown) {
    throw thrown instanceof StreamEnd ? statusErrorOf(thrown) : thrown;
  } finally {
    stop();
  }
}

/** The owner is whoever the credential says: another one in the request is a mistake. */
function numbersOf({ leaseId }: AboutLease, { identity }: Pick<CallContext, 'identity'>): LeaseNumbers {
  if (leaseId === undefined) throw new StatusError('invalid_argument', 'lease_id: is missing: say which lease');
  const { owner, dseq, gseq, oseq } = leaseId;
  const tenant: Tenant = tenantIn(identity);
  if (owner !== '' && owner !== tenant.owner)
    throw new StatusError('not_found', `lease_id.owner: is ${owner.slice(0, 64)}, and the credential is of ${tenant.owner}`);
  return leaseNumbers({ dseq: `${dseq}`, gseq: `${gseq}`, oseq: `${oseq}` });
}
