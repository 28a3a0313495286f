import type { NodeRow } from '@quartermaster/api/inventory-views';
import { quoted } from '../model/addresses.ts';
import { type Complete, type Completion, matching } from './completion.ts';

const fields: readonly Completion[] = [
  { insert: 'sale:', note: 'sellable, held-back or unknown' },
  { insert: 'why:', note: 'the reason against selling it' },
  { insert: 'gpu:', note: 'a model on it' },
  { insert: 'rack:', note: 'where it stands' },
  { insert: 'state:', note: 'as Kubernetes has it' },
  { insert: 'ready:', note: 'yes or no' },
  { insert: 'name:', note: 'its name' },
];

/** Completes the filter of nodes: its fields, and the values that nodes have now. */
export const completeNodes =
  (nodes: readonly NodeRow[]): Complete =>
  (text, caret) => {
    const word = /(?:^|\s)((?:(\w+):)?("[^"]*"?|[^\s"]*))$/.exec(text.slice(0, caret));
    if (word === null) return undefined;
    const [, typed = '', field, value = ''] = word;
    const values = field === undefined ? undefined : valuesOf(field.toLowerCase(), nodes);
    if (values === undefined) {
      const options = matching(fields, typed);
      return field !== undefined || typed === '' || options.length === 0 ? undefined : { from: caret - typed.length, to: caret, options };
    }
    const options = matching(
      values.map((each) => ({ insert: `${quoted(each)} `, label: each })),
      value.replaceAll('"', ''),
    );
    const isWhole = values.some((each) => quoted(each) === value);
    return isWhole || options.length === 0 ? undefined : { from: caret - value.length, to: caret, options };
  };

/** Undefined for what is no field, or one whose values are not worth a list. */
function valuesOf(field: string, nodes: readonly NodeRow[]): readonly string[] | undefined {
  switch (field) {
    case 'sale':
      return ['sellable', 'held-back', 'unknown'];
    case 'ready':
      return ['yes', 'no'];
    case 'why':
      return distinct(nodes.flatMap(({ sale }) => [...(sale?.why ?? []), ...((sale?.quarantined ?? 0) > 0 ? ['quarantined'] : [])]));
    case 'gpu':
      return distinct(nodes.flatMap(({ gpus, sale }) => (sale === undefined ? Object.keys(gpus) : Object.keys(sale.models))));
    case 'rack':
      return distinct(nodes.flatMap(({ rack }) => (rack === undefined ? [] : [rack])));
    case 'state':
      return distinct(nodes.map(({ state }) => state));
    default:
      return undefined;
  }
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)].toSorted();
