import { h } from "./dom.js";
export class PlayPage { constructor(game){ this.root = h("p", {}, game.title); } typed(){} }
