import type { DescField } from '@bufbuild/protobuf';
import type { FilterOptions } from '../contract/filter.ts';
import { FilterProblem, quoted } from '../language/filter-problem.ts';
import { boolType, describeType, type FilterType, isOpaque, typeOfField } from '../language/filter-type.ts';
import { hintFor } from '../language/nearest-name.ts';
import type { Node, Quantifier } from '../language/node.ts';
import type { Syntax } from '../language/syntax.ts';
import { checkCall } from './check-call.ts';
import { arithmetic, comparison, conditional, domainOf, falseNode, isWrapper, not } from './check-operators.ts';
import { EnumConstants } from './enum-constants.ts';
import { type IsHidden, visibleField } from './field-names.ts';
import { fold } from './fold.ts';

/** Where a value is in the contract: keys and indexes are left out. */
interface Place {
  readonly path: readonly string[];
  readonly isHidden: IsHidden;
}

type SyntaxOf<K extends Syntax['kind']> = Syntax & { readonly kind: K };

const quantifiers: ReadonlySet<string> = new Set<Quantifier>(['all', 'exists', 'exists_one']);
/** The work for one object grows with the product of the lengths of the lists. */
const maxNestedQuantifiers = 2;
const nothingHidden: Place = { path: [], isHidden: () => false };

/** Gives names and types to one expression. Throws a FilterProblem for whatever has none. */
export class Checker {
  readonly #options: FilterOptions;
  #constants: EnumConstants | undefined;
  /** Name of a quantifier's item -> the item, while its body is checked. */
  readonly #items = new Map<string, Node>();
  /** By the numbers of quantifiers. */
  readonly #places: Place[] = [];
  #nested = 0;

  constructor(options: FilterOptions) {
    this.#options = options;
  }

  checkCondition(syntax: Syntax): Node {
    return this.#condition(syntax, 'the filter');
  }

  #condition(syntax: Syntax, what: string): Node {
    const node = this.#check(syntax);
    if (node.type.kind === 'bool') return node;
    throw new FilterProblem(syntax.at, `${what} must be true or false, not ${describeType(node.type)}: compare it with something`);
  }

  #check(syntax: Syntax): Node {
    switch (syntax.kind) {
      case 'literal':
        return syntax.literal.kind === 'null'
          ? { kind: 'unknown', type: { kind: 'null' } }
          : { kind: 'literal', type: { kind: syntax.literal.kind }, value: syntax.literal.value };
      case 'name':
        return this.#name(syntax);
      case 'select':
        return this.#select(syntax);
      case 'index':
        return this.#index(syntax);
      case 'call':
        return this.#call(syntax);
      case 'list':
        throw new FilterProblem(syntax.at, 'a list can only stand behind in');
      case 'conditional':
        return this.#conditional(syntax);
      case 'and':
      case 'or': {
        const operator = syntax.kind === 'and' ? '&&' : '||';
        const parts = syntax.parts.map((part) => this.#condition(part, `each side of ${operator}`));
        return fold({ kind: syntax.kind, type: boolType, parts });
      }
      case 'not':
        return not(this.#condition(syntax.of, 'the operand of !'));
      case 'negate':
        return this.#negation(syntax);
      case 'binary':
        return this.#binary(syntax);
    }
  }

  #name({ name, at }: SyntaxOf<'name'>): Node {
    const item = this.#items.get(name);
    if (item !== undefined) return item;
    const root = this.#options.roots.find(({ variable }) => variable === name);
    if (root !== undefined) return { kind: 'root', type: { kind: 'message', message: root.message }, name };
    if (name === 'now') return { kind: 'now', type: { kind: 'timestamp' } };
    const constant = this.#constant(name, at);
    if (constant !== undefined) return constant;
    const known = [...this.#options.roots.map(({ variable }) => variable), 'now', ...this.#items.keys()];
    const hints = [this.#fieldHint(name), hintFor(name, known), this.#enumConstants().hint(name), `; there are ${known.join(', ')}`];
    throw new FilterProblem(at, `there is no name ${quoted(name)}${hints.find((hint) => hint !== '') ?? ''}`);
  }

  /** For those who leave the variable out. */
  #fieldHint(name: string): string {
    const root = this.#options.roots.find(
      ({ message, hidden }) => message.fields.some((field) => field.name === name) && hidden?.([name]) !== true,
    );
    return root === undefined ? '' : `; did you mean "${root.variable}.${name}"?`;
  }

  #enumConstants(): EnumConstants {
    this.#constants ??= new EnumConstants(this.#options.roots, this.#options.enums ?? []);
    return this.#constants;
  }

  #constant(name: string, at: number): Node | undefined {
    const constant = this.#enumConstants().find(name, at);
    return constant && { kind: 'literal', type: { kind: 'int', enumeration: constant.enumeration }, value: BigInt(constant.number) };
  }

  #select(syntax: SyntaxOf<'select'>): Node {
    const constant = this.#qualifiedConstant(syntax);
    if (constant !== undefined) return constant;
    const base = this.#check(syntax.base);
    if (base.type.kind === 'map' && base.type.key.kind === 'string') {
      return { kind: 'entry', type: base.type.value, map: base, key: { kind: 'literal', type: base.type.key, value: syntax.name } };
    }
    const field = this.#field(base, syntax);
    return { kind: 'field', type: typeOfField(field), base, field };
  }

  /** `private.v1.HostState.HOST_STATE_READY`, where nothing is called `private`. */
  #qualifiedConstant(syntax: SyntaxOf<'select'>): Node | undefined {
    const names = [syntax.name];
    let base = syntax.base;
    for (; base.kind === 'select'; base = base.base) names.unshift(base.name);
    if (base.kind !== 'name') return undefined;
    const { name } = base;
    if (name === 'now' || this.#items.has(name) || this.#options.roots.some(({ variable }) => variable === name)) return undefined;
    return this.#constant([name, ...names].join('.'), syntax.at);
  }

  #field(base: Node, { name, at }: SyntaxOf<'select'>): DescField {
    if (base.type.kind !== 'message') throw new FilterProblem(at, `a ${describeType(base.type)} has no field ${quoted(name)}`);
    if (isOpaque(base.type.message)) {
      throw new FilterProblem(at, `the fields of ${base.type.message.typeName} cannot be asked for, only its presence with has()`);
    }
    const { path, isHidden } = this.#placeOf(base);
    return visibleField(base.type.message, path, name, isHidden, at);
  }

  #placeOf(node: Node): Place {
    switch (node.kind) {
      case 'root':
        return { path: [], isHidden: this.#options.roots.find(({ variable }) => variable === node.name)?.hidden ?? nothingHidden.isHidden };
      case 'field': {
        const { path, isHidden } = this.#placeOf(node.base);
        return { path: [...path, node.field.name], isHidden };
      }
      case 'item':
        return this.#placeOf(node.list);
      case 'entry':
        return this.#placeOf(node.map);
      case 'variable':
        return this.#places[node.number] ?? nothingHidden;
      default:
        throw new FilterProblem(undefined, 'takes a field of a computed message: choose between the values of its fields instead');
    }
  }

  #index(syntax: SyntaxOf<'index'>): Node {
    const base = this.#check(syntax.base);
    const key = this.#check(syntax.key);
    if (base.type.kind === 'map') return { kind: 'entry', type: base.type.value, map: base, key: this.#key(base.type.key, key, syntax.at) };
    if (base.type.kind !== 'list') throw new FilterProblem(syntax.at, `a ${describeType(base.type)} has no [ ]: only lists and maps do`);
    if (key.type.kind !== 'int' && key.type.kind !== 'uint') {
      throw new FilterProblem(syntax.key.at, `the index of a list is an int, not ${describeType(key.type)}`);
    }
    return { kind: 'item', type: base.type.item, list: base, index: key };
  }

  #key(wanted: FilterType, key: Node, at: number): Node {
    const domain = domainOf(wanted, key.type);
    if (domain !== undefined && domain !== 'double') return key;
    throw new FilterProblem(at, `the keys of this map are ${describeType(wanted)}, not ${describeType(key.type)}`);
  }

  #conditional({ condition, chosen: then, otherwise, at }: SyntaxOf<'conditional'>): Node {
    const [chosen, other] = [this.#check(then), this.#check(otherwise)];
    if (['message', 'list', 'map', 'null'].includes(chosen.type.kind) || chosen.type.kind !== other.type.kind) {
      throw new FilterProblem(
        at,
        `? needs two values of one simple type, not ${describeType(chosen.type)} and ${describeType(other.type)}`,
      );
    }
    return conditional(this.#condition(condition, 'what stands before ?'), chosen, other);
  }

  #negation({ of, at }: { readonly of: Syntax; readonly at: number }): Node {
    const operand = this.#check(of);
    const { type } = operand;
    if (type.kind !== 'int' && type.kind !== 'double' && type.kind !== 'duration') {
      throw new FilterProblem(at, `- needs an int, a double or a duration, not ${describeType(type)}`);
    }
    return arithmetic('-', { kind: 'literal', type: { kind: type.kind }, value: type.kind === 'double' ? 0 : 0n }, operand, at);
  }

  #binary({ operator, left, right, at }: SyntaxOf<'binary'>): Node {
    if (operator === 'in') return this.#membership(this.#check(left), right, at);
    const [one, other] = [this.#check(left), this.#check(right)];
    switch (operator) {
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        return arithmetic(operator, one, other, at);
      default:
        return comparison(operator, one, other, at);
    }
  }

  #membership(of: Node, right: Syntax, at: number): Node {
    if (right.kind === 'list') return this.#oneOf(of, right);
    const range = this.#check(right);
    if (range.type.kind === 'map') return { kind: 'hasKey', type: boolType, map: range, key: this.#key(range.type.key, of, at) };
    if (range.type.kind !== 'list') throw new FilterProblem(at, `in needs a list or a map behind it, not ${describeType(range.type)}`);
    const domain = domainOf(range.type.item, of.type);
    if (domain !== undefined && domain !== 'double' && domain !== 'bytes')
      return { kind: 'includes', type: boolType, list: range, item: of };
    const number = this.#newPlace(range);
    const item: Node = { kind: 'variable', type: range.type.item, number };
    return { kind: 'quantifier', type: boolType, quantifier: 'exists', range, number, body: comparison('==', item, of, at) };
  }

  #oneOf(of: Node, list: SyntaxOf<'list'>): Node {
    const equalities = list.items.map((item) => comparison('==', of, this.#check(item), item.at));
    const [first] = equalities;
    if (first === undefined) return falseNode;
    const values = equalities.map((each) =>
      each.kind === 'compare' && each.right.kind === 'literal' && !isWrapper(of) ? each.right.value : undefined,
    );
    const domain = first.kind === 'compare' ? first.domain : undefined;
    if (domain === 'string' && values.every((value) => typeof value === 'string'))
      return { kind: 'oneOf', type: boolType, of, domain, values };
    if (domain === 'integer' && values.every((value) => typeof value === 'bigint'))
      return { kind: 'oneOf', type: boolType, of, domain, values };
    return fold({ kind: 'or', type: boolType, parts: equalities });
  }

  #call(syntax: SyntaxOf<'call'>): Node {
    const { name, receiver, args, at } = syntax;
    if (name === 'has' && receiver === undefined) return this.#has(syntax);
    if (receiver !== undefined && quantifiers.has(name)) return this.#quantifier(name as Quantifier, receiver, args, at);
    const operands = (receiver === undefined ? args : [receiver, ...args]).map((operand) => this.#check(operand));
    return checkCall(name, operands, at);
  }

  #has({ args, at }: SyntaxOf<'call'>): Node {
    const [of] = args;
    if (of?.kind !== 'select' || args.length !== 1) throw new FilterProblem(at, 'has() needs one field: has(this.spec)');
    const base = this.#check(of.base);
    if (base.type.kind === 'map' && base.type.key.kind === 'string') {
      return { kind: 'hasKey', type: boolType, map: base, key: { kind: 'literal', type: base.type.key, value: of.name } };
    }
    return { kind: 'has', type: boolType, base, field: this.#field(base, of) };
  }

  #quantifier(quantifier: Quantifier, receiver: Syntax, args: readonly Syntax[], at: number): Node {
    const range = this.#check(receiver);
    const { type } = range;
    if (type.kind !== 'list' && type.kind !== 'map')
      throw new FilterProblem(at, `${quantifier}() needs a list or a map, not ${describeType(type)}`);
    const [name, body] = args;
    if (name?.kind !== 'name' || body === undefined || args.length !== 2) {
      throw new FilterProblem(at, `${quantifier}() needs a name and a condition: list.${quantifier}(x, x != "")`);
    }
    if (this.#nested >= maxNestedQuantifiers) {
      throw new FilterProblem(at, `${quantifier}() is within more than one other all(), exists() or exists_one(): ask for less at once`);
    }
    const number = this.#newPlace(range);
    const before = this.#items.get(name.name);
    this.#items.set(name.name, { kind: 'variable', type: type.kind === 'list' ? type.item : type.key, number });
    this.#nested += 1;
    const checked = this.#condition(body, `the condition of ${quantifier}()`);
    this.#nested -= 1;
    if (before === undefined) this.#items.delete(name.name);
    else this.#items.set(name.name, before);
    return { kind: 'quantifier', type: boolType, quantifier, range, number, body: checked };
  }

  #newPlace(range: Node): number {
    return this.#places.push(this.#placeOf(range)) - 1;
  }
}
