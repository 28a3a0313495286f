import { reasonWords } from '@quartermaster/api/states';
import { countOf, formatBytes, formatBytesOf, formatCores, formatInteger } from '../model/amounts.ts';
import type { Change, FitAnswer, FitOrder, Lack, Resource } from './fit.ts';

/** The answer in one sentence. */
export function verdict(
  { replicas }: Pick<FitOrder, 'replicas'>,
  { room, isAtLeast, plan }: Pick<FitAnswer, 'room' | 'isAtLeast' | 'plan'>,
): string {
  const counted = `${isAtLeast ? 'at least ' : ''}${formatInteger(room)}`;
  const more = room === replicas && !isAtLeast ? 'and no more' : `and there is room for ${counted}`;
  if (room >= replicas) return `Yes: ${countOf(replicas, 'replica')} on ${countOf(plan.length, 'node')}, ${more}.`;
  if (isAtLeast) return `Not known: at least ${formatInteger(room)} of ${formatInteger(replicas)} fit.`;
  if (room === 0) return 'No single node can hold one replica.';
  return `No: ${formatInteger(room)} of ${formatInteger(replicas)} fit.`;
}

const names: Readonly<Record<Resource, string>> = { cpu: 'cores', memory: 'memory', gpu: 'GPUs', storage: 'of the storage class' };

/** Why a node takes none. */
export function lackWords(lack: Lack): string {
  if (lack.kind === 'state') return stateWords(lack);
  if (lack.kind === 'unsaid') return 'space of the storage class not known';
  const { resource, wanted, free } = lack;
  return `${partWords(resource, free, wanted)} ${names[resource]}`;
}

/** Nodes that lack the same, together: there may be thousands of them. In the order in which they come. */
export function byLack(refusals: FitAnswer['refusals']): readonly { readonly words: string; readonly nodes: readonly string[] }[] {
  const groups = Map.groupBy(refusals, ({ lacks }) => lacks.map(lackWords).join(' · '));
  return [...groups].map(([words, members]) => ({ words, nodes: members.map(({ node }) => node) }));
}

/** What would help. */
export function changeWords(change: Change): string {
  switch (change.kind) {
    case 'less':
      return `One would fit with ${amountWords(change.resource, change.amount)}.`;
    case 'model':
      return `With ${change.model} instead, ${countOf(change.room, 'replica')} would fit.`;
    case 'release':
      return `would take ${formatInteger(change.room)}, but is ${stateWords(change)}.`;
  }
}

const stateWords = ({ state, why }: { readonly state: 'held-back' | 'unknown'; readonly why: readonly string[] }): string =>
  why.length === 0 ? state.replace('-', ' ') : why.map(reasonWords).join(', ');

function amountWords(resource: Resource, amount: number): string {
  if (resource === 'cpu') return `${formatCores(amount)} cores`;
  return resource === 'gpu' ? countOf(amount, 'GPU') : `${formatBytes(amount)} ${names[resource]}`;
}

function partWords(resource: Resource, free: number, wanted: number): string {
  if (resource === 'cpu') return `${formatCores(free)} of ${formatCores(wanted)}`;
  return resource === 'gpu' ? `${formatInteger(free)} of ${formatInteger(wanted)}` : formatBytesOf(free, wanted);
}
