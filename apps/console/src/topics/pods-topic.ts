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
    ...optional('text', params.get('text')),
    ...optional('phase', params.get('phase')),
    ...optional('node', params.get('node')),
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

const optional = <K extends string>(key: K, value: string | null): Partial<Record<K, string>> => {
  const fields: Partial<Record<K, string>> = {};
  if (value !== null && value !== '') fields[key] = value;
  return fields;
};
