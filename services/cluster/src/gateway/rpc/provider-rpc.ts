import { ProviderRPC, StatusSchema } from '@quartermaster/api/akash-provider';
import { type Clock, pause } from '@quartermaster/kernel';
import { type ServedService, serve, sharedAnswer } from '@quartermaster/rpc';
import type { FitQuestions } from '../../serve/fit-questions.ts';
import { keptAnswer } from '../serve/kept-answer.ts';
import { type ScreeningDeps, screen } from '../wire/bid-screening.ts';
import { type KnownProvider, providerStatusMessage } from '../wire/provider-status.ts';

export interface ProviderRpcOptions {
  readonly known: () => Promise<KnownProvider>;
  readonly screening: () => Promise<ScreeningDeps>;
  /** Bounds how many look for a place at once. */
  readonly questions: Pick<FitQuestions, 'ask'>;
  readonly clock: Clock;
}

const tellEveryMs = 5_000;

/** akash.provider.v1: what anybody may ask. */
export const providerRpc = ({ known, screening, questions, clock }: ProviderRpcOptions): ServedService => {
  // Made, and encoded, once for all who ask meanwhile.
  const status = keptAnswer(clock, tellEveryMs, async () => sharedAnswer(StatusSchema, providerStatusMessage(await known())));
  return serve(ProviderRPC, {
    getStatus: () => status(),
    async *streamStatus(_request, { signal }) {
      while (!signal.aborted) {
        yield await status();
        await pause(clock, tellEveryMs, signal);
      }
    },
    bidScreening: async (request, { peer, signal }) => {
      const deps = await screening();
      // Whoever it is: nobody who asks this is known.
      return await questions.ask(peer.replace(/:\d*$/, ''), () => screen(request, deps), signal);
    },
  });
};
