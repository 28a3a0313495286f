import { clone, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectList, type ReflectMap, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { maskError } from './mask-error.ts';
import type { MaskPath, MaskStep } from './mask-path.ts';

/** The paths of a mask as a tree. A node without children is a path's end: everything below it is taken as a whole. */
interface MaskNode {
  readonly step: MaskStep;
  readonly path: string;
  children: Map<string, MaskNode> | undefined; // canonical text -> node
}

/**
 * The stored object with the mask's places taken from the input, as a new message. What a path names is set where the
 * input has it and cleared where not; what lies beside it (other fields, other keys, other elements) stays. The order of the paths does
 * not matter, and a path below another one adds nothing. A list element must be in the input, and in the stored list or next after it: to
 * remove elements, name the list. Setting a member of a oneof clears the others.
 */
export function applyMask<Desc extends DescMessage>(
  schema: Desc,
  stored: MessageShape<Desc>,
  input: MessageShape<Desc>,
  paths: readonly MaskPath[],
): MessageShape<Desc> {
  const result = clone(schema, stored);
  // A value that is moved over belongs to the result alone: neither argument may change with it.
  applyToMessage(reflect(schema, result, false), reflect(schema, clone(schema, input), false), treeOf(paths));
  return result;
}

function treeOf(paths: readonly MaskPath[]): MaskNode[] {
  const roots = new Map<string, MaskNode>();
  for (const path of paths) {
    let level: Map<string, MaskNode> | undefined = roots;
    for (const [depth, step] of path.steps.entries()) {
      if (level === undefined) break;
      const isEnd = depth === path.steps.length - 1;
      const key = path.segments[depth] ?? '';
      const node: MaskNode = level.get(key) ?? { step, path: path.text, children: new Map() };
      level.set(key, node);
      if (isEnd) node.children = undefined;
      level = node.children;
    }
  }
  return [...roots.values()];
}

const childrenOf = (node: MaskNode): MaskNode[] | undefined => (node.children === undefined ? undefined : [...node.children.values()]);

function applyToMessage(target: ReflectMessage, input: ReflectMessage, nodes: readonly MaskNode[]): void {
  for (const node of nodes) {
    if (node.step.kind !== 'field') continue;
    const { field } = node.step;
    const children = childrenOf(node);
    if (children === undefined) {
      if (input.isSet(field)) target.set(field, input.get(field));
      else target.clear(field);
    } else if (field.fieldKind === 'map') {
      applyToMap(target.get(field), input.get(field), children);
    } else if (field.fieldKind === 'list') {
      applyToList(target.get(field), input.get(field), children);
    } else if (field.fieldKind === 'message') {
      if (!target.isSet(field) && !input.isSet(field)) continue;
      const part = target.get(field);
      applyToMessage(part, input.get(field), children);
      if (input.isSet(field) || target.isSet(field)) target.set(field, part);
    }
  }
}

function applyToMap(target: ReflectMap, input: ReflectMap, nodes: readonly MaskNode[]): void {
  for (const node of nodes) {
    if (node.step.kind !== 'key') continue;
    const { key } = node.step;
    const given = input.get(key);
    const kept = target.get(key);
    const children = childrenOf(node);
    if (children === undefined) {
      if (given === undefined) target.delete(key);
      else target.set(key, given);
    } else if (isPart(kept)) {
      applyToMessage(kept, isPart(given) ? given : emptyOf(kept), children);
    } else if (isPart(given)) {
      const made = emptyOf(given);
      applyToMessage(made, given, children);
      target.set(key, made);
    }
  }
}

function applyToList(target: ReflectList, input: ReflectList, nodes: readonly MaskNode[]): void {
  for (const node of nodes.toSorted((a, b) => indexOf(a) - indexOf(b))) {
    const index = indexOf(node);
    const given = input.get(index);
    if (given === undefined) {
      throw maskError(
        node.path,
        `the object in the request has ${input.size} elements there, none with index ${index}; to remove elements name the whole list`,
      );
    }
    if (index > target.size) {
      throw maskError(node.path, `the stored list has ${target.size} elements, so ${target.size} is the highest index that can be set`);
    }
    const children = childrenOf(node);
    const kept = target.get(index);
    if (children !== undefined && isPart(given)) {
      const part = isPart(kept) ? kept : emptyOf(given);
      applyToMessage(part, given, children);
      if (kept === undefined) target.add(part);
    } else if (kept === undefined) target.add(given);
    else target.set(index, given);
  }
}

const indexOf = (node: MaskNode): number => (node.step.kind === 'index' ? node.step.index : -1);

const isPart = (value: unknown): value is ReflectMessage => isReflectMessage(value);

const emptyOf = (part: ReflectMessage): ReflectMessage => reflect(part.desc, undefined, false);
