/** The words that wire shapes are written in. */

import Type, { type TNumberOptions, type TProperties, type TSchema, type TStringOptions } from 'typebox';

export const timestamp = { format: 'date-time', description: 'ISO 8601, UTC.' };
export const Timestamp = Type.String(timestamp);

/** @param about its description, or all that is to be said of it */
export function text(about: string | TStringOptions) {
  return Type.String(typeof about === 'string' ? { description: about } : about);
}

export function optionalText(about: string | TStringOptions = {}) {
  return Type.Optional(text(about));
}

export function integer(about: string | TNumberOptions) {
  return Type.Integer(typeof about === 'string' ? { description: about } : about);
}

export function optionalInteger(about: string | TNumberOptions = {}) {
  return Type.Optional(integer(about));
}

export function orNull<T extends TSchema>(schema: T, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** An object that has no other fields. */
export function exact<T extends TProperties>(properties: T, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** An object with a name: the document then holds it once, and every place that uses it refers to it (see `openapi.ts`). */
export function named<T extends TProperties>(name: string, properties: T, options: object = {}) {
  return Type.Object(properties, { ...options, [nameKeyword]: name });
}

export function namedExact<T extends TProperties>(name: string, properties: T, options: object = {}) {
  return named(name, properties, { additionalProperties: false, ...options });
}

export const nameKeyword = 'x-name';
