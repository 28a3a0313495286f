export * from '../../simulator/src/cluster/index.ts';
