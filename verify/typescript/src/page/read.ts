/** Reads fields of a system's JSON, whose form has been checked already. */
import { field, isList, isObject, type Json, type JsonObject } from "../json.js";

export function listOf(object: JsonObject, name: string): readonly Json[] {
  const value = field(object, name);
  return isList(value) ? value : [];
}

export function objectsOf(object: JsonObject, name: string): readonly JsonObject[] {
  return listOf(object, name).map((one) => (isObject(one) ? one : {}));
}

export function entriesOf(object: JsonObject, name: string): readonly (readonly [string, Json])[] {
  const value = field(object, name);
  return isObject(value) ? Object.entries(value) : [];
}

export function said(object: JsonObject, name: string): string {
  const value = field(object, name) ?? null;
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}
