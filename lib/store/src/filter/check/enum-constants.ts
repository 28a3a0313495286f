import type { DescEnum, DescMessage } from '@bufbuild/protobuf';
import type { FilterRoot } from '../contract/filter.ts';
import { FilterProblem, quoted } from '../language/filter-problem.ts';
import { hintFor } from '../language/nearest-name.ts';

export interface EnumConstant {
  readonly enumeration: DescEnum;
  readonly number: number;
}

/** The values of enums by name: bare (`HOST_STATE_READY`), and with their enum (`private.v1.HostState.HOST_STATE_READY`) or package in front. */
export class EnumConstants {
  /** name -> its values, more than one where enums share a bare name */
  readonly #byName = new Map<string, EnumConstant[]>();

  /** Of the given enums and of every enum that a visible field of the roots has. */
  constructor(roots: readonly FilterRoot[], enums: readonly DescEnum[]) {
    const all = new Set(enums);
    for (const root of roots) collect(root.message, [], root.hidden ?? (() => false), new Set(), all);
    for (const enumeration of all) this.#add(enumeration);
  }

  #add(enumeration: DescEnum): void {
    const outer = enumeration.typeName.slice(0, -enumeration.name.length);
    for (const { name, number } of enumeration.values) {
      for (const known of new Set([name, `${enumeration.name}.${name}`, `${enumeration.typeName}.${name}`, `${outer}${name}`])) {
        const constants = this.#byName.get(known);
        if (constants === undefined) this.#byName.set(known, [{ enumeration, number }]);
        else constants.push({ enumeration, number });
      }
    }
  }

  /** Undefined for a name that is none of them. Throws for one that means two numbers. */
  find(name: string, at: number): EnumConstant | undefined {
    const [first, ...others] = this.#byName.get(name) ?? [];
    if (first !== undefined && others.some((other) => other.number !== first.number)) {
      throw new FilterProblem(at, `${quoted(name)} is a value of several enums: write it as ${first.enumeration.typeName}.${name}`);
    }
    return first;
  }

  hint(name: string): string {
    return hintFor(name, this.#byName.keys());
  }
}

function collect(
  message: DescMessage,
  path: readonly string[],
  isHidden: (path: readonly string[]) => boolean,
  above: ReadonlySet<DescMessage>,
  into: Set<DescEnum>,
): void {
  // A message within itself adds nothing new.
  if (above.has(message)) return;
  for (const field of message.fields) {
    const place = [...path, field.name];
    if (isHidden(place)) continue;
    if (field.enum !== undefined) into.add(field.enum);
    if (field.message !== undefined) collect(field.message, place, isHidden, new Set([...above, message]), into);
  }
}
