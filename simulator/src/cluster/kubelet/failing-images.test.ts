import { describe, expect, it } from 'vitest';
import { failsByItself } from '../pods/image-failure.ts';
import { pullProblem } from './failing-images.ts';

describe('pullProblem', () => {
  it('says of a host without an address what a kubelet would say', () => {
    expect(pullProblem('nowhere.invalid/team/app')).toBe(
      'failed to pull and unpack image "nowhere.invalid/team/app:latest": failed to resolve reference "nowhere.invalid/team/app:latest": ' +
        'failed to do request: Head "https://nowhere.invalid/v2/team/app/manifests/latest": dial tcp: lookup nowhere.invalid: no such host',
    );
    expect(pullProblem('a.nowhere.invalid:5000/app:1')).toContain(
      'Head "https://a.nowhere.invalid:5000/v2/app/manifests/1": dial tcp: lookup a.nowhere.invalid:',
    );
  });

  it('knows the tag that no registry has', () => {
    expect(pullProblem('nginx:missing')).toContain('"nginx:missing": nginx:missing: not found');
  });

  it.each(['nginx', 'nginx:1.29', 'registry.example/invalid', 'nowhere.invalid.example/app', 'notinvalid/app', 'invalid', ''])(
    'has nothing against %s',
    (image) => {
      expect(pullProblem(image)).toBeUndefined();
    },
  );
});

describe('failsByItself', () => {
  it.each([
    ['simulator.quartermaster.dev/crash', true],
    ['simulator.quartermaster.dev/crash:7', true],
    ['simulator.quartermaster.dev/full-disk', true],
    ['registry.example/app:crash', true],
    ['simulator.quartermaster.dev/crashes', false],
    ['registry.example/crash', false],
  ])('is told of %s: %s', (image, fails) => {
    expect(failsByItself(image)).toBe(fails);
  });
});
