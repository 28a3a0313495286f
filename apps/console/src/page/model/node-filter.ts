import type { ConsoleNode } from '../../console-source.ts';
import { nodeTone } from './node-state.ts';

/**
 * The filter of the node table: terms set apart by spaces, all of which must match. A bare word is looked for in name, state,
 * rack and GPU models. `name:`, `state:`, `rack:` and `gpu:` look in one of them; `ready:yes` and `ready:no` ask for the state.
 * Double quotes keep words together, and after a field they ask for the whole value: `state:"Ready"` leaves out `NotReady`.
 * Letter case does not matter.
 */
interface Term {
  readonly field: 'any' | 'name' | 'state' | 'rack' | 'gpu' | 'ready';
  readonly text: string;
  readonly isWhole: boolean;
}

const filterFields = ['name', 'state', 'rack', 'gpu', 'ready'] as const;

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

export function filterNodes(nodes: readonly ConsoleNode[], query: string): readonly ConsoleNode[] {
  const terms = parseFilter(query);
  return terms.length === 0 ? nodes : nodes.filter((node) => terms.every((term) => matches(node, term)));
}

function matches(node: ConsoleNode, { field, text, isWhole }: Term): boolean {
  const fits = (value: string): boolean => (isWhole ? value.toLowerCase() === text : value.toLowerCase().includes(text));
  switch (field) {
    case 'name':
      return fits(node.name);
    case 'state':
      return fits(node.state);
    case 'rack':
      return fits(node.rack ?? '');
    case 'gpu':
      return Object.keys(node.gpus).some(fits);
    case 'ready':
      return ['yes', 'true'].includes(text) === (nodeTone(node) === 'good');
    case 'any':
      return [node.name, node.state, node.rack ?? '', ...Object.keys(node.gpus)].some(fits);
  }
}
