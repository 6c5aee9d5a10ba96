module.exports = { constants: {} };
