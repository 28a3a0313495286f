import { create } from '@bufbuild/protobuf';
import { DeploymentSchema, SdlFaultSchema } from '@quartermaster/api/market';
import { describe, expect, it } from 'vitest';
import { deploymentRules } from './deployment-rules.ts';
import { reasonOf } from './reason-rules.ts';
import { refusedSdl } from './sdl-faults.ts';

const violations = (sdl: string) => deploymentRules.validate(create(DeploymentSchema, { spec: { sdl } })).map(({ field }) => field);

describe('an SDL', () => {
  it('may be longer than other texts', () => {
    expect(violations('x'.repeat(256 * 1024))).toEqual([]);
  });

  it.each(['', ' \n'])('is not %j', (sdl) => {
    expect(violations(sdl)).toEqual(['spec.sdl']);
  });

  it('is refused with each of its faults, and the number of those that are left out', () => {
    const faults = Array.from({ length: 25 }, (_, index) =>
      create(SdlFaultSchema, { path: index === 0 ? '' : `/x/${index}`, line: index, message: 'must go', code: 'Bad' }),
    );
    const { message, details } = refusedSdl(faults);
    expect(message).toContain('field "spec.sdl": the document: must go (Bad); field "spec.sdl": /x/1, line 1: must go (Bad)');
    expect(message).toContain('and 5 more; Sdl.Check lists all of them');
    expect(details).toMatchObject({ fieldViolations: { length: 21 } });
  });
});

it('takes a short reason of one line, or says something itself', () => {
  expect(reasonOf(' moved ', 'closed')).toBe('moved');
  expect(reasonOf('', 'closed')).toBe('closed');
  for (const reason of ['x'.repeat(257), 'two\nlines', 'a\0b']) expect(() => reasonOf(reason, 'closed')).toThrow('field "reason"');
});
