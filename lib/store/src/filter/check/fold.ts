import { evaluator } from '../evaluate/evaluator.ts';
import type { Node } from '../language/node.ts';

/** A literal, or `unknown`, for an expression of constants; any other as it is. Both back ends then see the same constant. */
export function fold(node: Node): Node {
  const operands = operandsOf(node);
  if (operands.length === 0 || !operands.every(({ kind }) => kind === 'literal' || kind === 'unknown')) return node;
  const value = evaluator(node)({ roots: {}, now: 0n, variables: [] });
  return value === undefined ? { kind: 'unknown', type: node.type } : { kind: 'literal', type: node.type, value };
}

/** Of the expressions that can be constant. */
function operandsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'not':
    case 'oneOf':
    case 'size':
    case 'conversion':
      return [node.of];
    case 'and':
    case 'or':
      return node.parts;
    case 'conditional':
      return [node.condition, node.chosen, node.otherwise];
    case 'compare':
    case 'arithmetic':
    case 'concatenation':
      return [node.left, node.right];
    case 'textTest':
      return [node.subject, node.argument];
    case 'matches':
      return [node.subject];
    default:
      return [];
  }
}
