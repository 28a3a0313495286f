import { describe, expect, it } from 'vitest';
import { anonymous, type Identity } from './authentication.ts';
import { StreamLimits } from './stream-limits.ts';

const named = (name: string): Identity => ({ kind: 'token', name, groups: [] });

describe('limits of streams', () => {
  it('let a caller have so many, another one its own, and one more for each that ends', () => {
    const limits = new StreamLimits({ most: 2, setting: 'sample-streams-per-caller' });
    const open = (name: string) => limits.opened(named(name), 'a:1');
    const [end] = [open('ann'), open('ann')];
    const refused = expect.objectContaining({
      code: 'resource_exhausted',
      message: 'ann has 2 streams open, which is as many as it may: end one of them first, or have sample-streams-per-caller raised',
    });
    expect(() => open('ann')).toThrow(refused);
    open('bob');
    end?.();
    open('ann');
    expect(() => open('ann')).toThrow(refused);
  });

  it('count who is not known by address, whatever port it comes from', () => {
    const limits = new StreamLimits({ most: 1 });
    limits.opened(anonymous, '192.0.2.7:1');
    expect(() => limits.opened(anonymous, '192.0.2.7:2')).toThrow('192.0.2.7 has 1 streams open');
    limits.opened(anonymous, '192.0.2.8:1');
  });

  it('let who is not known have fewer', () => {
    const limits = new StreamLimits({ most: Number.POSITIVE_INFINITY, mostUnknown: 1 });
    for (let streams = 0; streams < 10; streams += 1) limits.opened(named('ann'), '192.0.2.7:1');
    limits.opened(anonymous, '192.0.2.7:1');
    expect(() => limits.opened(anonymous, '192.0.2.7:1')).toThrow('192.0.2.7 has 1 streams open');
  });
});
