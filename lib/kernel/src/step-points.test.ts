import { expect, it } from 'vitest';
import { definedSteps, defineSteps, listenToSteps } from './step-points.ts';

const steps = defineSteps('moving-house', ['packed', 'carried']);

it('lists the steps of a piece of work, and those of all', () => {
  expect(definedSteps('moving-house')).toEqual(['moving-house/packed', 'moving-house/carried']);
  expect(definedSteps()).toEqual(expect.arrayContaining(['moving-house/packed', 'moving-house/carried']));
  expect(definedSteps('moving')).toEqual([]);
});

it('refuses a step that there is already', () => {
  expect(() => defineSteps('moving-house', ['packed'])).toThrow('step moving-house/packed is defined twice');
});

it('does nothing unless somebody listens, and holds up the work while the listener does', async () => {
  expect(steps.reached('packed')).toBeUndefined();
  const told: string[] = [];
  const held = Promise.withResolvers<void>();
  const end = listenToSteps((step) => {
    told.push(step);
    return held.promise;
  });
  expect(() => listenToSteps(() => {})).toThrow('somebody listens');
  let isThrough = false;
  const working = (async () => {
    await steps.reached('carried');
    isThrough = true;
  })();
  await Promise.resolve();
  expect([told, isThrough]).toEqual([['moving-house/carried'], false]);
  held.resolve();
  await working;
  end();
  expect(steps.reached('packed')).toBeUndefined();
  expect(told).toEqual(['moving-house/carried']);
});
