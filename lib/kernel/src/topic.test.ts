import { describe, expect, it } from 'vitest';
import { eventTopic, stateTopic } from './topic.ts';

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
});
