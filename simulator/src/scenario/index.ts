export { cephTools, cephToolsImage } from './ceph.ts';
export { type ChurnOptions, playChurn } from './churn.ts';
export { loadScenario, shippedScenarios } from './load-scenario.ts';
export { loadWorld } from './load-world.ts';
export { parseScenario } from './parse-scenario.ts';
export { type Play, type PlayScenarioOptions, playScenario } from './play-scenario.ts';
export type { Scenario } from './scenario.ts';
export { expandScenario, rackLabel, type World, zoneLabel } from './world.ts';
export type { WorldObject } from './world-object.ts';
