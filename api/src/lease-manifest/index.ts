export * from './group-bounds.ts';
export * from './manifest-changes.ts';
export * from './manifest-group.ts';
export { imageRule, namePatterns } from './manifest-names.ts';
export * from './read-manifest.ts';
export * from './sorted-manifest.ts';
export * from './write-manifest.ts';
