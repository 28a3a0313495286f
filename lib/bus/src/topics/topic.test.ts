import { describe, expect, it } from 'vitest';
import { checkGroup, eventTopic, stateTopic } from './topic.ts';

describe('topics', () => {
  it.each(['inventory.cluster', 'LeaseWon', 'a', 'a-1.b-2'])('may be called %s', (name) => {
    expect(stateTopic(name).name).toBe(name);
    expect(eventTopic(name, { groups: ['g'] }).name).toBe(name);
  });

  it('keep their groups when the list that they were made from changes', () => {
    const groups = ['a'];
    const topic = eventTopic('t', { groups });
    groups.push('b');
    expect(topic.groups).toEqual(['a']);
  });

  it('name their groups when asked for another', () => {
    expect(() => checkGroup(eventTopic('t', { groups: ['a', 'b'] }), 'c')).toThrow(
      'topic t has no group "c": declare it in eventTopic, or use one of a, b',
    );
  });
});
