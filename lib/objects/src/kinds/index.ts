export { type AnyKind, type AnyKinds, defineKind, type Kind, type KindDefinition, openKind, type PublicObject } from './kind.ts';
