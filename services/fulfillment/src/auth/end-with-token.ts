import { type Clock, StatusError } from '@quartermaster/kernel';
import type { CallContext, ServedService } from '@quartermaster/rpc';
import { endOf } from './principal.ts';

/** The same services, whose streams end with the token that opened them: a watch would otherwise outlive the right to it for as long as it stays connected. */
export function endWithToken(services: readonly ServedService[], clock: Clock): ServedService[] {
  return services.map(({ descriptor, methods }) => ({
    descriptor,
    methods: methods.map((served) => {
      if (served.kind !== 'stream') return served;
      const call: typeof served.call = (request, context) => {
        const endsAt = endOf(context.identity);
        return endsAt === undefined
          ? served.call(request, context)
          : bounded((shorter) => served.call(request, shorter), context, endsAt, clock);
      };
      return { ...served, call };
    }),
  }));
}

async function* bounded(
  open: (context: CallContext) => AsyncIterable<unknown>,
  context: CallContext,
  endsAt: number,
  clock: Clock,
): AsyncGenerator<unknown, void, undefined> {
  const end = new AbortController();
  let cancel = (): void => {};
  // Timers fire early when the wait is longer than they can hold.
  const waitOn = (): void => {
    const leftMs = endsAt - clock.now();
    if (leftMs > 0) cancel = clock.schedule(leftMs, waitOn);
    else end.abort(new StatusError('unauthenticated', 'the token has expired: get a new one, and go on from the last answer'));
  };
  waitOn();
  try {
    yield* open({ ...context, signal: AbortSignal.any([context.signal, end.signal]) });
    end.signal.throwIfAborted();
  } catch (thrown) {
    throw end.signal.aborted ? end.signal.reason : thrown;
  } finally {
    cancel();
  }
}
