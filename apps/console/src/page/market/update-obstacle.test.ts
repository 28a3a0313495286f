import { expect, it } from 'vitest';
import { unconfirmed, updateObstacle } from './update-obstacle.ts';

const preview = { changes: [], restarted: [], lost_volumes: ['db/data', 'db/logs'], faults: [] };
const fault = { path: '', line: 1, column: 1, message: 'no', code: 'No' };
const draft = { isEmpty: false, isSame: false, isCurrent: true, preview: { ...preview, lost_volumes: [] }, missing: [] };

it('has each volume that would be lost said yes to', () => {
  expect(unconfirmed(preview, new Set(['db/data']))).toEqual(['db/logs']);
  expect(unconfirmed(preview, new Set(['db/data', 'db/logs']))).toEqual([]);
  expect(unconfirmed(undefined, new Set())).toEqual([]);
});

it.each([
  [draft, undefined],
  [{ ...draft, isEmpty: true }, 'Write the SDL first.'],
  [{ ...draft, isSame: true }, 'Nothing is changed.'],
  [{ ...draft, preview: { ...preview, faults: [fault, fault] } }, 'The SDL has 2 faults: fix them first.'],
  [{ ...draft, isCurrent: false }, 'Finding out what would change …'],
  [{ ...draft, preview: undefined, isCurrent: false }, 'Finding out what would change …'],
  [{ ...draft, preview, missing: ['db/data'] }, 'Confirm first that the data of db/data may be lost.'],
])('%#: is made only when what it does is known and agreed to', (state, obstacle) => {
  expect(updateObstacle(state)).toBe(obstacle);
});
