export * from '../../simulator/src/cluster/index.ts';
export * from '../../simulator/src/scenario/index.ts';
