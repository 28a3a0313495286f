import { eventTopic } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { checkGroup } from './topic.ts';

describe('topics', () => {
  it('name their groups when asked for another', () => {
    expect(() => checkGroup(eventTopic('t', { groups: ['a', 'b'] }), 'c')).toThrow(
      'topic t has no group "c": declare it in eventTopic, or use one of a, b',
    );
  });
});
