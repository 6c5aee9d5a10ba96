// The build replaces cli-table3's own `string-width` with this: that version is old and measures newer emoji and Indic
// letters wrongly.
module.exports = require('./width.ts').width;
