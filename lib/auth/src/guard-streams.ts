/**
 * A stream lasts no longer than the right to it. It ends when what opened it ends: the token, or the client certificate. Beside that its caller is looked at again
 * as if it called anew: at once when the settings that give roles change, and every minute for what nobody tells of, such as a withdrawn key of the issuer or a
 * deleted service account. Whoever is no longer known, or has become somebody with other rights, is sent away to call again. While that cannot be told, since the
 * issuer or the API server is away, the stream goes on.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Clock, codeOf, messageOf, StatusError } from '@quartermaster/kernel';
import type { CallContext, Identity, ServedService } from '@quartermaster/rpc';
import { endOf, examinationOf, principalOf } from './principal.ts';

export interface StreamGuardOptions {
  readonly clock: Clock;
  /** Calls back when roles may have changed; returns what ends that. */
  readonly onAccessChange?: ((listener: () => void) => () => void) | undefined;
}

const lookIntervalMs = 60_000;

/** The same services, whose streams end with the right to them. */
export function guardStreams(services: readonly ServedService[], options: StreamGuardOptions): ServedService[] {
  return services.map(({ descriptor, methods }) => ({
    descriptor,
    methods: methods.map((served) => {
      if (served.kind !== 'stream') return served;
      const call: typeof served.call = (request, context) => guarded((shorter) => served.call(request, shorter), context, options);
      return { ...served, call };
    }),
  }));
}

async function* guarded(
  open: (context: CallContext) => AsyncIterable<unknown>,
  context: CallContext,
  options: StreamGuardOptions,
): AsyncGenerator<unknown, void, undefined> {
  const end = new AbortController();
  const stops = [followEnd(context.identity, options.clock, end), followRights(context.identity, options, end)];
  try {
    for await (const answer of open({ ...context, signal: AbortSignal.any([context.signal, end.signal]) })) {
      end.signal.throwIfAborted();
      yield answer;
    }
    end.signal.throwIfAborted();
  } catch (thrown) {
    throw end.signal.aborted ? end.signal.reason : thrown;
  } finally {
    for (const stop of stops) stop();
  }
}

function followEnd(identity: Identity, clock: Clock, end: AbortController): () => void {
  const endsAt = endOf(identity);
  if (endsAt === undefined) return () => {};
  const what = identity.kind === 'certificate' ? 'client certificate' : 'token';
  let cancel = (): void => {};
  // Timers fire early when the wait is longer than they can hold.
  const waitOn = (): void => {
    const leftMs = endsAt - clock.now();
    if (leftMs > 0) cancel = clock.schedule(leftMs, waitOn);
    else end.abort(new StatusError('unauthenticated', `the ${what} has expired: get a new one, and go on from the last answer`));
  };
  waitOn();
  return () => cancel();
}

function followRights(identity: Identity, { clock, onAccessChange }: StreamGuardOptions, end: AbortController): () => void {
  const examine = examinationOf(identity);
  if (examine === undefined) return () => {};
  const over = new AbortController();
  let looking: Promise<void> | undefined;
  let isOutdated = false; // something changed while the last look was under way
  const look = (): void => {
    isOutdated = looking !== undefined;
    looking ??= lossOf(identity, () => examine(over.signal)).then((loss) => {
      looking = undefined;
      if (loss !== undefined) end.abort(loss);
      else if (isOutdated && !over.signal.aborted) look();
    });
  };
  let cancel = (): void => {};
  const lookLater = (): void => {
    cancel = clock.schedule(lookIntervalMs, () => {
      look();
      lookLater();
    });
  };
  lookLater();
  const forget = onAccessChange?.(look);
  return () => {
    over.abort();
    cancel();
    forget?.();
  };
}

/** Why the caller has to go; undefined when it may stay, or when that cannot be told now. */
async function lossOf(before: Identity, examine: () => Promise<Identity>): Promise<StatusError | undefined> {
  try {
    const after = await examine();
    return isDeepStrictEqual(principalOf(after), principalOf(before)) ? undefined : changed(before, 'it has another role or other tenants');
  } catch (thrown) {
    switch (codeOf(thrown)) {
      case 'unauthenticated':
        return new StatusError('unauthenticated', `${messageOf(thrown)}; a watch goes on from its last answer`);
      case 'permission_denied':
        return changed(before, messageOf(thrown));
      default:
        return undefined;
    }
  }
}

/** The caller may come back at once, as what it is now. */
function changed({ name }: Identity, how: string): StatusError {
  const wayOut = 'call again; since other objects may be visible now, list them before you watch on';
  return new StatusError('unauthenticated', `the rights of ${name} have changed (${how}): ${wayOut}`, {
    details: { reason: 'ACCESS_CHANGED' },
  });
}
