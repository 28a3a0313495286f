export * from '@quartermaster/simulator';
export * from '../../simulator/src/scenario/index.ts';
