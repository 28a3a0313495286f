import { beside, type Call, type Load, type LoadOptions, load } from './load.ts';
import type { Work } from './protocol.ts';

/** As many as keep the feed moving and leave the server time for lists, on either side. */
const updates = { callers: 4, perSecond: 200 };

/** Loads a service with a work; with one that is measured on a busy fleet, others update hosts meanwhile. */
export async function loadWork(work: Work, callOf: (work: Work) => Call | Promise<Call>, options: LoadOptions): Promise<Load> {
  const call = await callOf(work);
  if (work !== 'list-filtered-50-busy') return await load(call, options);
  const { result, perSecond } = await beside(() => load(call, options), await callOf('update-masked'), updates);
  return { ...result, besidePerSecond: perSecond };
}
