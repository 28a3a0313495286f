export * from './group-bounds.ts';
export * from './manifest-changes.ts';
export * from './manifest-group.ts';
export * from './read-manifest.ts';
