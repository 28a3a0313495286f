import { podKey, type Topic, wholeNumber } from '@quartermaster/api/inventory-views';
import type { ConsolePod, PodPage, PodQuery } from '../console-source.ts';

export type PodsHead = Omit<PodPage, 'pods'>;

/** Rows of a page of pods unless asked for otherwise. */
export const podPageSize = 200;

const maxPageSize = 1_000;
const maxPage = 1_000_000;

/** The order in which pods are shown: those that changed last first. */
export const newestFirst = (a: ConsolePod, b: ConsolePod): number => b.changedAt - a.changedAt || (podKey(a) < podKey(b) ? -1 : 1);

/** One page of the pods that a query asks for. */
export const podsTopic: Topic<PodQuery, PodsHead, ConsolePod> = {
  name: 'pods',
  keyOf: podKey,
  parse: (params) => ({
    text: params.get('text') || undefined,
    phase: params.get('phase') || undefined,
    node: params.get('node') || undefined,
    page: wholeNumber(params, 'page', { fallback: 0, max: maxPage }),
    size: wholeNumber(params, 'size', { fallback: podPageSize, max: maxPageSize }),
  }),
  format: ({ text, phase, node, page, size }) => ({
    text,
    phase,
    node,
    page: page === 0 ? undefined : String(page),
    size: size === podPageSize ? undefined : String(size),
  }),
};
