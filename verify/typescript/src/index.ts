export { check, Checker } from "./checker.js";
