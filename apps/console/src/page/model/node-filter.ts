import type { NodeRow } from '@quartermaster/api/inventory-views';
import { nodeTone } from './node-state.ts';

/**
 * The filter of the node table: terms set apart by spaces, all of which must match. A bare word is looked for in name, state,
 * rack and GPU models. `name:`, `state:`, `rack:` and `gpu:` look in one of them; `ready:yes` and `ready:no` ask for the state.
 * `sale:` is sellable, held-back or unknown, and `why:` a reason against it, such as `why:Cordoned` or `why:quarantined`.
 * Double quotes keep words together, and after a field they ask for the whole value: `state:"Ready"` leaves out `NotReady`.
 * Letter case does not matter.
 */
interface Term {
  readonly field: 'any' | 'name' | 'state' | 'rack' | 'gpu' | 'ready' | 'sale' | 'why';
  readonly text: string;
  readonly isWhole: boolean;
}

const filterFields = ['name', 'state', 'rack', 'gpu', 'ready', 'sale', 'why'] as const;

function parseFilter(query: string): Term[] {
  return [...query.matchAll(/(?:(\w+):)?(?:"([^"]*)"?|([^\s"]+))/g)].flatMap(([whole, prefix, quoted, bare]): Term[] => {
    const field = filterFields.find((name) => name === prefix?.toLowerCase());
    const text = (quoted ?? bare ?? '').toLowerCase();
    if (field !== undefined) return text === '' ? [] : [{ field, text, isWhole: quoted !== undefined }];
    // Names may hold colons of their own: an unknown prefix is part of the word.
    const word = prefix === undefined ? text : whole.replaceAll('"', '').toLowerCase();
    // A field whose value is still being typed asks for nothing yet.
    return word === '' || filterFields.some((name) => word === `${name}:`) ? [] : [{ field: 'any', text: word, isWhole: false }];
  });
}

export function filterNodes(nodes: readonly NodeRow[], query: string): readonly NodeRow[] {
  const terms = parseFilter(query);
  return terms.length === 0 ? nodes : nodes.filter((node) => terms.every((term) => matches(node, term)));
}

function matches(node: NodeRow, { field, text, isWhole }: Term): boolean {
  const fits = (value: string): boolean => (isWhole ? value.toLowerCase() === text : value.toLowerCase().includes(text));
  switch (field) {
    case 'name':
      return fits(node.name);
    case 'state':
      return fits(node.state);
    case 'rack':
      return fits(node.rack ?? '');
    case 'gpu':
      return modelsOf(node).some(fits);
    case 'ready':
      return ['yes', 'true'].includes(text) === (nodeTone(node) === 'good');
    case 'sale':
      return node.sale?.state === text;
    case 'why':
      return (node.sale?.why ?? []).some(fits) || (fits('quarantined') && (node.sale?.quarantined ?? 0) > 0);
    case 'any':
      return [node.name, node.state, node.rack ?? '', ...(node.sale?.why ?? []), ...modelsOf(node)].some(fits);
  }
}

/** By every name that is known: the kubelet's labels and the inventory call cards differently. */
const modelsOf = ({ gpus, sale }: NodeRow): readonly string[] => [...Object.keys(gpus), ...Object.keys(sale?.models ?? {})];
