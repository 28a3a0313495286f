import { create } from '@bufbuild/protobuf';
import { type Any, anyPack, DurationSchema, StringValueSchema, TimestampSchema, ValueSchema } from '@bufbuild/protobuf/wkt';
import { ClusterTemplateParameterDefinitionSchema, ClusterTemplateSchema, HostSchema } from '@quartermaster/api/private';
import { textViolations } from '@quartermaster/objects';
import { describe, expect, it } from 'vitest';
import { definitionViolations } from './parameter-rules.ts';

describe('texts', () => {
  it('are refused with U+0000 and beyond 64 Ki characters, wherever they stand', () => {
    const host = create(HostSchema, { spec: { description: 'x'.repeat(65_537), nics: [{ name: 'a' }, { name: 'b\0' }] } });
    expect(textViolations(HostSchema, host).map(({ field }) => field)).toEqual(['spec.description', 'spec.nics.1.name']);
    const template = create(ClusterTemplateSchema, { nodeSets: { 'a\0': { hostClass: 'c\0' } } });
    expect(textViolations(ClusterTemplateSchema, template).map(({ field }) => field)).toEqual(['node_sets', 'node_sets.`a\0`.host_class']);
  });
});

const beyond = [
  { seconds: 253_402_300_800n, nanos: 0 },
  { seconds: -62_135_596_801n, nanos: 0 },
  { seconds: 5n, nanos: -1 },
  { seconds: 5n, nanos: 1_000_000_000 },
];

describe('times', () => {
  const conditions = (times: readonly { readonly seconds: bigint; readonly nanos: number }[]) =>
    create(HostSchema, { status: { conditions: times.map((lastTransitionTime) => ({ lastTransitionTime })) } });

  it('are refused where JSON could not tell them', () => {
    expect(textViolations(HostSchema, conditions(beyond)).map(({ field }) => field)).toEqual(
      beyond.map((_time, index) => `status.conditions.${index}.last_transition_time`),
    );
  });

  it('are good from the first to the last of the years with four digits', () => {
    const good = conditions([
      { seconds: -62_135_596_800n, nanos: 0 },
      { seconds: 253_402_300_799n, nanos: 999_999_999 },
    ]);
    expect(textViolations(HostSchema, good)).toEqual([]);
  });
});

describe('values of parameters', () => {
  const violationsOf = (type: string, value: Any) =>
    definitionViolations([
      create(ClusterTemplateParameterDefinitionSchema, { name: 'p', type: `type.googleapis.com/google.protobuf.${type}`, default: value }),
    ]).map(({ field }) => field);

  it('are those that JSON can tell', () => {
    expect(violationsOf('StringValue', anyPack(StringValueSchema, create(StringValueSchema, { value: 'v' })))).toEqual([]);
    for (const time of beyond) {
      expect(violationsOf('Timestamp', anyPack(TimestampSchema, create(TimestampSchema, time)))).toEqual(['parameters.0.default']);
    }
    const forever = create(DurationSchema, { seconds: 10n ** 15n });
    expect(violationsOf('Duration', anyPack(DurationSchema, forever))).toEqual(['parameters.0.default']);
    const number = create(ValueSchema, { kind: { case: 'numberValue', value: Number.NaN } });
    expect(violationsOf('Value', anyPack(ValueSchema, number))).toEqual(['parameters.0.default']);
  });
});
