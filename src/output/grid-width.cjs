// What the build puts in place of the `string-width` that cli-table3 brings along: that one is old and measures newer
// emoji and Indic letters wrongly.
module.exports = require('./width.ts').width;
